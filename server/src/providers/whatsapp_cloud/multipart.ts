import { randomBytes } from 'node:crypto';

export interface FormPart {
  name: string;
  value: string | Buffer;
  filename?: string;
  mimeType?: string;
}

/** As browsers do: quotes and line breaks are percent-encoded. */
const quote = (text: string): string =>
  `"${text.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}"`;

/** A multipart form as one body. */
export function multipart(parts: readonly FormPart[]): { contentType: string; body: Buffer } {
  const boundary = `parley-${randomBytes(16).toString('hex')}`;
  const chunks = parts.flatMap(({ name, value, filename, mimeType }) => [
    Buffer.from(
      [
        `--${boundary}`,
        `content-disposition: form-data; name=${quote(name)}${filename === undefined ? '' : `; filename=${quote(filename)}`}`,
        ...(mimeType === undefined ? [] : [`content-type: ${mimeType.replace(/[\r\n]/g, '')}`]),
        '\r\n',
      ].join('\r\n'),
    ),
    Buffer.from(value as Buffer),
    Buffer.from('\r\n'),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
