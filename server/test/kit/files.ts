import { readdir } from 'node:fs/promises';
import type { Answer, CallOptions, TestServer, TestTenant } from './server.ts';

const BOUNDARY = 'the-boundary-of-a-form-in-a-test';

/** A part of a form: a file if it has a filename, else a field. */
export interface Part {
  name?: string;
  filename?: string;
  type?: string;
  content: string | Buffer;
}

/** A multipart/form-data body, with names exactly as they are given. */
export function form(...parts: Part[]): CallOptions & { raw: Buffer; headers: Record<string, string> } {
  const chunks = parts.flatMap(({ name = 'file', filename, type, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    type === undefined ? '\r\n' : `Content-Type: ${type}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  return {
    raw: Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((chunk) => Buffer.from(chunk as string))),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}

export function upload(
  tenant: TestTenant,
  content: string | Buffer,
  filename: string,
  more: { type?: string; headers?: Record<string, string>; token?: string } = {},
): Promise<Answer> {
  const { type, headers, token } = more;
  const body = form({ content, filename, ...(type === undefined ? {} : { type }) });
  return tenant.call('POST', '/v3/files', {
    raw: body.raw,
    headers: { ...body.headers, ...headers },
    ...(token === undefined ? {} : { token }),
  });
}

/** The names of everything in the folder of uploaded files. */
export async function storedNames({ filesFolder }: TestServer): Promise<string[]> {
  const entries = await readdir(filesFolder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
}

/** The path and query of a public URL. */
export const pathOfUrl = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');
