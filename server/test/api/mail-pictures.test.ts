import { expect, it } from 'vitest';
import { BLUE, originalOf, partOf, png, RED, receiveMail } from '../kit/mail-with-pictures.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const receive = receiveMail(server);

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

it('a picture whose file was deleted is missing, and nothing else', async () => {
  const tenant = await server.tenant();
  const { id, media } = await receive(tenant, {
    html: '<img src="cid:red"><img src="cid:blue">',
    parts: [partOf('red'), partOf('blue', BLUE)],
  });
  expect((await tenant.delete(`/v3/files/${media[0].fileId}`)).status).toBe(200);
  expect(await originalOf(tenant, id)).toBe(`<img src="cid:red"><img src="${png(BLUE)}">`);
});
