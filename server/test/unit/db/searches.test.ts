import type pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitSearches } from '../../../src/db/searches.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

/** A connection that writes down what is sent. */
function openConnection() {
  const sent: string[] = [];
  const send = async ({ text, name }: pg.QueryConfig): Promise<pg.QueryResult> => {
    sent.push(name ?? text);
    return { rows: [] } as unknown as pg.QueryResult;
  };
  const search = limitSearches({ connections: 4, timeoutMs: 5_000 }, (work) => work(send));
  return { sent, search };
}

test('a search plans its own statements, and leaves the connection as it was', async () => {
  const { sent, search } = openConnection();
  await search('tenant', async (send) => {
    await send({ name: 'attributes', text: '' });
    await send({ text: 'matches' });
    await send({ text: 'rows' });
  });
  const custom = 'set plan_cache_mode = force_custom_plan';
  const generic = 'set plan_cache_mode = force_generic_plan';
  expect(sent).toEqual(['attributes', custom, 'matches', 'rows', generic]);
});

test('I4: a statement may take what the ones before it have left, and the next search all of it', async () => {
  const { sent, search } = openConnection();
  const work = search('tenant', async (send) => {
    await send({ name: 'first', text: '' });
    vi.advanceTimersByTime(2_000);
    await send({ name: 'second', text: '' });
    vi.advanceTimersByTime(3_000);
    await send({ name: 'third', text: '' });
  });
  await expect(work).rejects.toMatchObject({ key: 'search_too_slow' });
  expect(sent).toEqual(['first', 'set statement_timeout = 3000', 'second', 'set statement_timeout = 5000']);
});
