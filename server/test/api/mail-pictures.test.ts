import { expect, it } from 'vitest';
import { useHeartbeat } from '../kit/heartbeat.ts';
import {
  type MailWithParts,
  mailHeaders,
  mailWithParts,
  pngOf,
  postedMailChannel,
} from '../kit/mail-with-pictures.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const RED = pngOf(20, 10, [200, 0, 0]);
const BLUE = pngOf(30, 10, [0, 0, 200]);
const png = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;
const partOf = (contentId: string, bytes = RED) => ({
  contentId,
  type: 'image/png',
  filename: 'picture.png',
  bytes,
});

let mails = 0;
/** Posts a mail of somebody new, and returns its message. */
async function receive(tenant: TestTenant, mail: Pick<MailWithParts, 'html' | 'parts'>) {
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
}
const originalOf = async (tenant: TestTenant, id: string): Promise<string> => {
  const { status, text } = await tenant.get(`/v3/messages/${id}/original`);
  expect(status).toBe(200);
  return text.slice(text.indexOf('</style>') + '</style>'.length);
};

it('two pictures of a mail have their content ids, and stand in its original', async () => {
  const tenant = await server.tenant();
  const message = await receive(tenant, {
    html: `<p>Hi</p><img src="cid:red@shop"><IMG alt=b SRC = 'CID:blue%40shop'><td background=cid:red@shop style="background: url( cid:blue@shop )">`,
    parts: [partOf('red@shop'), partOf('blue@shop', BLUE)],
  });
  expect(message.media).toMatchObject([
    { contentId: 'red@shop', mimeType: 'image/png', size: RED.length, fileId: expect.any(String) },
    { contentId: 'blue@shop', mimeType: 'image/png', size: BLUE.length },
  ]);
  expect((await tenant.get(`/v3/messages/${message.id}`)).body.data.media).toMatchObject([
    { contentId: 'red@shop' },
    { contentId: 'blue@shop' },
  ]);
  const shown = `<p>Hi</p><img src="${png(RED)}"><IMG alt=b SRC = '${png(BLUE)}'><td background=${png(RED)} style="background: url( ${png(BLUE)} )">`;
  expect(await originalOf(tenant, message.id)).toBe(shown);
});

it('a file without a content id has no such key', async () => {
  const tenant = await server.tenant();
  const { contentId: _, ...plain } = partOf('x');
  const { media } = await receive(tenant, { html: '<p>Hi</p>', parts: [plain, partOf('y'.repeat(300))] });
  expect(media.map((one: object) => 'contentId' in one)).toEqual([false, false]);
});

it('content ids of other mails, unknown ones and texts that look like them stay as they are', async () => {
  const tenant = await server.tenant();
  await receive(tenant, { html: '<p>1</p>', parts: [partOf('secret')] });
  const html =
    '<p>src=cidx cid:own</p><img src="cid:secret"><img src="cid:"><img src="cid:%E0%A4%A"><a href="cid:own">';
  const { id } = await receive(tenant, { html, parts: [partOf('own')] });
  expect(await originalOf(tenant, id)).toBe(html);
});

it('only what browsers show without running anything is a picture, whatever the mail calls it', async () => {
  const tenant = await server.tenant();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const html = '<img src="cid:svg"><img src="cid:page"><img src="cid:text">';
  const { id } = await receive(tenant, {
    html,
    parts: [
      { ...partOf('svg', svg), type: 'image/svg+xml' },
      partOf('page', Buffer.from('<html><script>alert(1)</script></html>')),
      partOf('text', Buffer.from('data')),
    ],
  });
  expect(await originalOf(tenant, id)).toBe(html);
});

it('of two files with the same content id the first is shown', async () => {
  const tenant = await server.tenant();
  const { id } = await receive(tenant, {
    html: '<img src="cid:twice">',
    parts: [partOf('twice'), partOf('twice', BLUE)],
  });
  expect(await originalOf(tenant, id)).toBe(`<img src="${png(RED)}">`);
});

it('a picture is shown at most a thousand times, and the page has a bound', async () => {
  const tenant = await server.tenant();
  const many = await receive(tenant, { html: '<img src="cid:dot">'.repeat(1_200), parts: [partOf('dot')] });
  const page = await originalOf(tenant, many.id);
  expect(page.split(png(RED))).toHaveLength(1_001);
  expect(page.split('cid:dot')).toHaveLength(201);

  const large = Buffer.concat([RED, Buffer.alloc(15 * 1024 * 1024)]);
  const { id } = await receive(tenant, {
    html: `${'<img src="cid:large">'.repeat(5)}<img src="cid:dot">`,
    parts: [partOf('large', large), partOf('dot')],
  });
  const heavy = await originalOf(tenant, id);
  expect(heavy.split('cid:large')).toHaveLength(4);
  expect(heavy.length).toBeLessThan(45 * 1024 * 1024);
  expect(heavy.endsWith(`<img src="${png(RED)}">`)).toBe(true);
});

it('long runs of spaces and of ids take no time', async () => {
  const heartbeat = useHeartbeat();
  const tenant = await server.tenant();
  const html = `src=${' '.repeat(400_000)}url(${' '.repeat(300_000)}<img src="cid:${'a'.repeat(200_000)}">`;
  const { id } = await receive(tenant, { html, parts: [partOf('own')] });
  expect(await originalOf(tenant, id)).toBe(html);
  expect(heartbeat.longestGapMs()).toBeLessThan(1_000);
});

it('a picture whose file was deleted is missing, and nothing else', async () => {
  const tenant = await server.tenant();
  const { id, media } = await receive(tenant, {
    html: '<img src="cid:red"><img src="cid:blue">',
    parts: [partOf('red'), partOf('blue', BLUE)],
  });
  expect((await tenant.delete(`/v3/files/${media[0].fileId}`)).status).toBe(200);
  expect(await originalOf(tenant, id)).toBe(`<img src="cid:red"><img src="${png(BLUE)}">`);
});
