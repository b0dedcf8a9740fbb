import { describe, expect, it } from 'vitest';
import { createPace, type Rate } from '../../../../src/messages/outbound/pace.ts';

/** A pace on simulated time, which passes only during sleeps, and the turns with their times. */
function simulate() {
  let now = 0;
  const turns: [string, number][] = [];
  const { waitForTurn } = createPace({
    now: () => now,
    sleep: async (ms) => {
      const wakesAt = now + ms;
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, wakesAt);
    },
  });
  const take = async (channel: string, contact: string, rate: Rate): Promise<void> => {
    await waitForTurn(channel, contact, rate);
    turns.push([contact, Math.round(now)]);
  };
  return { take, turns };
}

describe('the pace of a channel', () => {
  it('is as many messages per second as the vendor allows, evenly', async () => {
    const { take, turns } = simulate();
    for (const contact of 'abcdef') await take('channel', contact, { perSecond: 4, perContactMs: 0 });
    expect(turns.map(([, time]) => time)).toEqual([0, 250, 500, 750, 1000, 1250]);
  });

  it('is separate for each channel', async () => {
    const { take, turns } = simulate();
    for (const channel of ['one', 'two', 'one'])
      await take(channel, channel, { perSecond: 1, perContactMs: 0 });
    expect(turns.map(([, time]) => time)).toEqual([0, 0, 1000]);
  });

  it('keeps the interval between messages to the same contact only', async () => {
    const { take, turns } = simulate();
    const rate = { perSecond: null, perContactMs: 6000 };
    for (const contact of ['ada', 'bob', 'ada']) await take('channel', contact, rate);
    expect(turns).toEqual([
      ['ada', 0],
      ['bob', 0],
      ['ada', 6000],
    ]);
  });

  it('does not wait if there is no limit', async () => {
    const { take, turns } = simulate();
    for (let count = 0; count < 100; count += 1)
      await take('channel', 'ada', { perSecond: null, perContactMs: 0 });
    expect(turns.every(([, time]) => time === 0)).toBe(true);
  });
});
