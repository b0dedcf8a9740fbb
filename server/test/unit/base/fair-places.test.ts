import { describe, expect, it } from 'vitest';
import { fairPlaces } from '../../../src/base/fair-places.ts';

const limits = {
  places: 4,
  perKey: 2,
  maxWaitMs: 60_000,
  maxWaiting: 100,
  refuse: () => new Error('refused'),
};

describe('I4 places', () => {
  it('I4: are shared in turns, and no key has more than its share', async () => {
    const places = fairPlaces(limits);
    const started: string[] = [];
    const ends: (() => void)[] = [];
    const start = (key: string): Promise<void> =>
      places.run(key, () => {
        started.push(key);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = [...'aaaaaabbbbbbcc'].map(start);
    expect(started.join('')).toBe('aabb');
    while (started.length < all.length) {
      ends.shift()?.();
      await new Promise(setImmediate);
      expect(started.length - (started.length - ends.length)).toBeLessThanOrEqual(4);
    }
    // The late key gets the first place that is free.
    expect(started.slice(4, 6).join('')).toContain('c');
    for (const end of ends) end();
    await Promise.all(all);
  });

  it('I4: are refused after a time or behind too many, and a failure frees its place', async () => {
    const places = fairPlaces({ ...limits, places: 1, perKey: 1, maxWaitMs: 20, maxWaiting: 1 });
    let end = (): void => {};
    const first = places.run('a', () => new Promise<void>((resolve) => (end = resolve)));
    const second = places.run('a', async () => {});
    await expect(places.run('a', async () => {})).rejects.toThrow('refused');
    await expect(second).rejects.toThrow('refused');
    end();
    await first;
    await expect(places.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(places.run('a', async () => 'done')).resolves.toBe('done');
  });
});
