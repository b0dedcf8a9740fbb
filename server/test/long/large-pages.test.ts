import { request } from 'node:http';
import { expect, it } from 'vitest';
import { fillChat } from '../kit/bulk.ts';
import { expectShortGaps, useHeartbeat } from '../kit/heartbeat.ts';
import { openChat } from '../kit/sending.ts';
import { useServer } from '../kit/server.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const port = await listen(server.system.app.server);
const COUNT = 60;
const HTML_BYTES = 1_000_000;

/** How many bytes the answer has. It is not kept or parsed, because the test runs in the thread of the server. */
const countAnswer = (path: string, token: string, body: object): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const call = request({ host: '127.0.0.1', port, method: 'POST', path, headers }, async (response) => {
      let bytes = 0;
      for await (const chunk of response) bytes += chunk.length;
      resolve(bytes);
    });
    call.on('error', reject);
    call.end(JSON.stringify(body));
  });

it('I1: a page of a chat full of large mails is read and sent mail by mail', async () => {
  const tenant = await server.tenant();
  const chat = await openChat(server, tenant, await tenant.channel());
  await fillChat(server, tenant, chat.id, COUNT);
  await server.system.db.query(
    `update messages set content = json_build_object('html', repeat('<p>Hello</p>', $2::int))
      where tenant_id = $1 and text like 'filler %'`,
    [tenant.id, Math.floor(HTML_BYTES / 12)],
  );
  const path = `/v3/chats/${chat.id}/messages/search`;
  const body = { query: 'startsWith(text,"filler ")', pagination: { limit: COUNT } };
  const plain = { pagination: { limit: COUNT } };
  // How long this machine needs to read and write all of them at once.
  const mails = Array.from({ length: COUNT }, () => '<p>Hello</p>'.repeat(Math.floor(HTML_BYTES / 12)));
  const atOnce = useHeartbeat();
  expect(JSON.parse(JSON.stringify(mails))).toHaveLength(COUNT);
  const half = atOnce.longestGapMs() / 2;
  for (const asked of [body, plain])
    await expectShortGaps(half, async () =>
      expect(await countAnswer(path, tenant.token, asked)).toBeGreaterThan((COUNT - 1) * HTML_BYTES),
    );

  const { data, pagination, query } = (await tenant.post(path, body)).body;
  expect(data).toHaveLength(COUNT);
  for (const [index, message] of data.entries()) {
    expect(message.text).toBe(`filler ${COUNT - index}`);
    expect(message.content.html).toHaveLength(HTML_BYTES - (HTML_BYTES % 12));
  }
  expect(pagination).toEqual({ page: 0, limit: COUNT, total: COUNT, nextCursor: null });
  expect(query).toEqual({ query: body.query, sortBy: null, search: null });
});
