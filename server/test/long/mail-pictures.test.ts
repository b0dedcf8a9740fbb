import { expect, it } from 'vitest';
import { expectShortGaps } from '../kit/heartbeat.ts';
import { originalOf, partOf, png, RED, receiveMail } from '../kit/mail-with-pictures.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const receive = receiveMail(server);

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

it('long runs of spaces and of ids take no time', () =>
  expectShortGaps(1_000, async () => {
    const tenant = await server.tenant();
    const html = `src=${' '.repeat(400_000)}url(${' '.repeat(300_000)}<img src="cid:${'a'.repeat(200_000)}">`;
    const { id } = await receive(tenant, { html, parts: [partOf('own')] });
    expect(await originalOf(tenant, id)).toBe(html);
  }));
