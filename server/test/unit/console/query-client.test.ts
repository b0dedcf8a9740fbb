import { describe, expect, it } from 'vitest';
import { ReadingClient } from '../../../../console/src/api/query-client.ts';

/** A query that somebody looks at; each read waits until it is answered. */
function readSomething() {
  const client = new ReadingClient({ defaultOptions: { queries: { retry: false } } });
  const answers: { give(value: string): void; refuse(): void }[] = [];
  const queryFn = () =>
    new Promise<string>((resolve, reject) =>
      answers.push({ give: resolve, refuse: () => reject(new Error('refused')) }),
    );
  const queryKey = ['something'];
  // Observed like by a component, so that it is read again at once.
  const query = client.getQueryCache().build(client, { queryKey, queryFn });
  const observer = { options: { queryKey }, onQueryUpdate() {}, getCurrentResult: () => ({ isStale: true }) };
  query.addObserver(observer as unknown as Parameters<typeof query.addObserver>[0]);
  return {
    answers,
    read: () => query.fetch(),
    invalidate: () => void client.invalidateQueries({ queryKey }),
    data: () => client.getQueryData(queryKey),
  };
}

describe('what changes while it is read for the first time', () => {
  it('is read once more afterwards, however often it changed', async () => {
    const { answers, read, invalidate, data } = readSomething();
    const first = read();
    invalidate();
    invalidate();
    expect(answers).toHaveLength(1);
    answers[0]?.give('before');
    await first;
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.give('after');
    await expect.poll(data).toBe('after');
    expect(answers).toHaveLength(2);
  });

  it('is read once more as well after the first attempt had failed', async () => {
    const { answers, read, invalidate, data } = readSomething();
    const failed = read();
    answers[0]?.refuse();
    await expect(failed).rejects.toThrow('refused');
    const second = read();
    invalidate();
    answers[1]?.give('before');
    await second;
    await expect.poll(() => answers.length).toBe(3);
    answers[2]?.give('after');
    await expect.poll(data).toBe('after');
  });

  it('is not read again if nothing has changed', async () => {
    const { answers, read, data } = readSomething();
    const first = read();
    answers[0]?.give('all');
    await first;
    expect(data()).toBe('all');
    expect(answers).toHaveLength(1);
  });
});
