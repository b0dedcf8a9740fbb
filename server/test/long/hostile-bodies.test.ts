import { expect, it } from 'vitest';
import { expectShortGaps, useHeartbeat } from '../kit/heartbeat.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const MEGABYTE = 1024 * 1024;

// Each of these stopped the process for the time in its name. Parsing it is a part of that, and must not even begin.
it.each([
  ['numbers, 280 ms', '1,'],
  ['lists, 870 ms', '[],'],
  ['texts, 270 ms', '"",'],
  ['objects, 470 ms', '{"a":1},'],
])('I1: a body of ten megabytes with millions of values is refused before it is parsed: %s', async (_, value) => {
  const tenant = await server.tenant();
  const count = Math.floor((9.9 * MEGABYTE) / value.length);
  const raw = Buffer.from(`{"contacts":[[${value.repeat(count)}0]]}`);
  // The first request compiles what the others use.
  expect((await tenant.post('/v3/campaigns', {})).status).toBe(400);
  const parsing = useHeartbeat();
  JSON.parse(raw.toString());
  await expectShortGaps(parsing.longestGapMs(), async () => {
    const { status, body } = await tenant.call('POST', '/v3/campaigns', { raw });
    expect([status, body.error.invalidParams]).toEqual([
      400,
      { body: { key: 'too_big', message: 'The body has more than 300000 values' } },
    ]);
  });
});
