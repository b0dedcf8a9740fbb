import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSaver } from '../../../../console/src/screens/campaigns/wizard/saver.ts';

/** A campaign on the server, as two people see it. */
function createCampaign(first: Record<string, unknown>) {
  let stored = { ...first };
  const sent: object[] = [];
  let isHeld = false;
  let release = (): void => {};
  const saver = createSaver({
    readStored: () => stored,
    async send(body) {
      sent.push(body);
      if (isHeld) await new Promise<void>((resolve) => (release = resolve));
      stored = { ...stored, ...body };
    },
  });
  return {
    saver,
    sent,
    stored: () => stored,
    /** The other person has stored something, and the event has come. */
    change: (body: object) => (stored = { ...stored, ...body }),
    hold: () => (isHeld = true),
    release: () => {
      isHeld = false;
      release();
    },
  };
}

describe('what two people type into one campaign', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pause = () => vi.advanceTimersByTimeAsync(1_000);

  it('is all stored if they change other fields', async () => {
    const { saver, stored, change } = createCampaign({ name: 'Sale', audience: null });
    saver.change({ name: 'Spring sale' });
    change({ audience: 'everybody' });
    await pause();
    expect(stored()).toEqual({ name: 'Spring sale', audience: 'everybody' });
  });

  it('does not overwrite what the other one has stored in the same field meanwhile', async () => {
    const { saver, sent, stored, change } = createCampaign({ name: 'Sale', timezone: 'UTC' });
    saver.change({ name: 'Spring sale', timezone: 'Europe/Berlin' });
    change({ name: 'Summer sale' });
    await pause();
    expect(sent).toEqual([{ timezone: 'Europe/Berlin' }]);
    expect(stored()).toMatchObject({ name: 'Summer sale' });
    expect(await saver.flush()).toBe(false);
  });

  it('is stored after somebody has said that it stays', async () => {
    const { saver, stored, change } = createCampaign({ name: 'Sale' });
    saver.change({ name: 'Spring sale' });
    change({ name: 'Summer sale' });
    await pause();
    saver.resolve(true);
    await pause();
    expect(stored()).toEqual({ name: 'Spring sale' });
  });

  it('is given up after somebody has taken what the other one wrote', async () => {
    const { saver, sent, change } = createCampaign({ name: 'Sale' });
    saver.change({ name: 'Spring sale' });
    change({ name: 'Summer sale' });
    saver.resolve(false);
    await pause();
    expect(sent).toEqual([]);
    expect(await saver.flush()).toBe(true);
  });

  it('is no conflict with what the same person has typed before', async () => {
    const { saver, stored, hold, release } = createCampaign({ message: {} });
    hold();
    saver.change({ message: { text: 'He' } });
    await pause();
    saver.change({ message: { text: 'Hello' } });
    release();
    await pause();
    await pause();
    expect(stored()).toEqual({ message: { text: 'Hello' } });
    expect(await saver.flush()).toBe(true);
  });

  it('is no conflict if both have typed the same', async () => {
    const { saver, change } = createCampaign({ name: 'Sale' });
    saver.change({ name: 'Spring sale' });
    change({ name: 'Spring sale' });
    expect(await saver.flush()).toBe(true);
  });
});
