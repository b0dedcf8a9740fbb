import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import type { TestServer, TestTenant } from './server.ts';

const MAIL_SECRET = 'a secret of sixteen';

/** The settings of a channel to which mails are posted. */
export const postedMailChannel = {
  kind: 'email',
  provider: 'smtp',
  name: 'Posted mail',
  address: 'posted@shop.test',
  config: { from: 'posted@shop.test', smtp: { host: '127.0.0.1', port: 25 }, inboundSecret: MAIL_SECRET },
} as const;

interface Part {
  /** As it stands between the brackets of its header; none if left out. */
  contentId?: string;
  type: string;
  filename: string;
  bytes: Buffer;
}

interface MailWithParts {
  from: string;
  subject: string;
  html: string;
  parts: readonly Part[];
}

/** A mail whose files are beside its HTML, as mail programs build it. */
export function mailWithParts({ from, subject, html, parts }: MailWithParts): Buffer {
  const encode = (bytes: Buffer): string => bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  const partOf = (headers: string[], bytes: Buffer): string =>
    ['--b', ...headers, 'Content-Transfer-Encoding: base64', '', encode(bytes)].join('\r\n');
  return Buffer.from(
    [
      `From: ${from}`,
      'To: posted@shop.test',
      `Subject: ${subject}`,
      `Message-ID: <${crypto.randomUUID()}@example.com>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; boundary=b',
      '',
      partOf(['Content-Type: text/html; charset=utf-8'], Buffer.from(html)),
      ...parts.map(({ contentId, type, filename, bytes }) =>
        partOf(
          [
            `Content-Type: ${type}; name="${filename}"`,
            `Content-Disposition: inline; filename="${filename}"`,
            ...(contentId === undefined ? [] : [`Content-ID: <${contentId}>`]),
          ],
          bytes,
        ),
      ),
      '--b--',
      '',
    ].join('\r\n'),
  );
}

/** The headers with which a mail server posts it. */
export const mailHeaders = (mail: Buffer): Record<string, string> => ({
  'content-type': 'message/rfc822',
  'x-parley-signature': mailSignature(mail, MAIL_SECRET),
});

/** A PNG of one colour. */
export function pngOf(width: number, height: number, colour: readonly [number, number, number]): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from(colour))]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const RED = pngOf(20, 10, [200, 0, 0]);
export const BLUE = pngOf(30, 10, [0, 0, 200]);
/** A picture as pages contain it. */
export const png = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
export const partOf = (contentId: string, bytes = RED) => ({
  contentId,
  type: 'image/png',
  filename: 'picture.png',
  bytes,
});

let mails = 0;
/** Posts a mail of somebody new, and returns its message. */
export const receiveMail =
  (server: TestServer) => async (tenant: TestTenant, mail: Pick<MailWithParts, 'html' | 'parts'>) => {
    mails += 1;
    const from = `ada${mails}@example.com`;
    const found = (await tenant.post('/v3/channels/search', {})).body.data;
    const channelId = found[0]?.id ?? (await tenant.post('/v3/channels', postedMailChannel)).body.data.id;
    const raw = mailWithParts({ from, subject: 'Pictures', ...mail });
    const posted = await server.call('POST', `/providers/smtp/${channelId}`, {
      raw,
      headers: mailHeaders(raw),
    });
    expect(posted.status).toBe(200);
    await server.settle();
    const { data } = (await tenant.post('/v3/messages/search', { sortBy: 'desc(createdAt)' })).body;
    return data[0];
  };

/** The page of a mail, without what every page begins with. */
export async function originalOf(tenant: TestTenant, id: string): Promise<string> {
  const { status, text } = await tenant.get(`/v3/messages/${id}/original`);
  expect(status).toBe(200);
  return text.slice(text.indexOf('</style>') + '</style>'.length);
}
