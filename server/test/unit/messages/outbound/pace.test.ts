import { describe, expect, it } from 'vitest';
import { pace } from '../../../../src/messages/outbound/pace.ts';

/** Time that passes only when somebody sleeps, and turns with the moment each was given. */
function rehearsal() {
  let now = 0;
  const turns: [string, number][] = [];
  const { turn } = pace({
    now: () => now,
    // Whoever sleeps wakes at its time, whoever else is awake meanwhile.
    sleep: async (ms) => {
      const at = now + ms;
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, at);
    },
  });
  const take = async (channel: string, contact: string, rate: Parameters<typeof turn>[2]): Promise<void> => {
    await turn(channel, contact, rate);
    turns.push([contact, Math.round(now)]);
  };
  return { take, turns };
}

describe('the pace of a channel', () => {
  it('is as many a second as the vendor allows, evenly', async () => {
    const { take, turns } = rehearsal();
    for (const contact of 'abcdef') await take('channel', contact, { perSecond: 4, perContactMs: 0 });
    expect(turns.map(([, at]) => at)).toEqual([0, 250, 500, 750, 1000, 1250]);
  });

  it('is one for each channel', async () => {
    const { take, turns } = rehearsal();
    for (const channel of ['one', 'two', 'one'])
      await take(channel, channel, { perSecond: 1, perContactMs: 0 });
    expect(turns.map(([, at]) => at)).toEqual([0, 0, 1000]);
  });

  it('leaves a person alone for a while, and nobody else', async () => {
    const { take, turns } = rehearsal();
    const rate = { perSecond: null, perContactMs: 6000 };
    for (const contact of ['ada', 'bob', 'ada']) await take('channel', contact, rate);
    expect(turns).toEqual([
      ['ada', 0],
      ['bob', 0],
      ['ada', 6000],
    ]);
  });

  it('costs nothing where there is no limit', async () => {
    const { take, turns } = rehearsal();
    for (let count = 0; count < 100; count += 1)
      await take('channel', 'ada', { perSecond: null, perContactMs: 0 });
    expect(turns.every(([, at]) => at === 0)).toBe(true);
  });
});
