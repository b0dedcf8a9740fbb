import { beforeEach, describe, expect, it } from 'vitest';
import type { Receiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { createWebhook, deliveriesOf, statusOf, type TestWebhook, write } from '../kit/webhooks.ts';

const server = await useServer();
const { clock } = server;
const START = clock.now().getTime();
const HOUR = 3600_000;
const DAY = 24 * HOUR;

let tenant: TestTenant;
let channel: { id: string };
let target: Receiver;
let hook: TestWebhook;
beforeEach(async () => {
  clock.set(new Date(START));
  ({ tenant, channel, target, hook } = await createWebhook(server));
});
const texts = (): string[] => target.received.map(({ body }) => body.data.text);
const say = async (...said: string[]): Promise<void> => {
  await write(tenant, channel, ...said);
  await server.settle();
};

describe('if the clock jumps', () => {
  it('R8: back by two hours, new events are sent at once, and pending ones when they are due', async () => {
    target.answerWith(500);
    await say('waiting');
    clock.set(new Date(START - 2 * HOUR));
    await say('new', 'newer');
    expect(texts().toSorted()).toEqual(['new', 'newer', 'waiting']);
    const shown = await deliveriesOf(tenant, hook);
    expect(shown.map(({ status }) => status)).toEqual(['pending', 'delivered', 'delivered']);
    clock.set(new Date(START + 10_000));
    await server.settle();
    expect(texts().at(-1)).toBe('waiting');
    expect(target.received).toHaveLength(4);
  });

  it('R8: ahead by 400 days, every pending delivery is attempted once and is then pending again', async () => {
    const count = 40;
    target.answerWith(...Array(2 * count).fill(500));
    await say(...Array.from({ length: count }, (_, index) => `message ${index}`));
    expect(target.received).toHaveLength(count);
    clock.set(new Date(START + 400 * DAY));
    await server.settle();
    await server.settle();
    expect(target.received).toHaveLength(2 * count);
    // There were only failures in 400 days, but hardly any attempts.
    expect(await statusOf(tenant, hook)).toBe('active');
    const waiting = (await deliveriesOf(tenant, hook)).map(
      ({ nextAttemptAt }) => new Date(nextAttemptAt).getTime() - clock.now().getTime(),
    );
    expect(waiting).toHaveLength(count);
    for (const pause of waiting) expect(pause >= 4 * 60_000 && pause <= 6 * 60_000).toBe(true);
  });

  it('R8: ahead and back again, nothing is lost and nothing is sent twice', async () => {
    for (const [index, jump] of [0, -2 * HOUR, 400 * DAY, 0].entries()) {
      clock.set(new Date(START + jump));
      await say(`message ${index}`);
    }
    expect(texts()).toEqual(['message 0', 'message 1', 'message 2', 'message 3']);
    expect(target.received.map(({ body }) => body.sequence)).toEqual([3, 4, 5, 6]);
    const shown = await deliveriesOf(tenant, hook);
    expect(shown.map(({ status, attemptCount }) => [status, attemptCount])).toEqual(
      Array(4).fill(['delivered', 1]),
    );
  });
});
