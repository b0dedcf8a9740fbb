import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { declareTask } from '../../src/sandboxed/task.ts';
import { createTaskPool, type TaskPool } from '../../src/sandboxed/task-pool.ts';
import { cleanUp } from '../kit/clean-up.ts';
import { useTempFolder } from '../kit/temp-folder.ts';
import { until } from '../kit/until.ts';

/** A program whose tasks do what their input says. It speaks as serve-tasks.ts does. */
const PROGRAM = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ input }) => {
  if (input.end === 'memory') { const all = []; for (;;) all.push(new Array(100_000).fill(input)); }
  if (input.end === 'exit') process.exit(1);
  if (input.end === 'throw') throw new Error('uncaught');
  if (input.end === 'never') for (;;);
  if (input.end === 'failed') return parentPort.postMessage({ kind: 'failed', message: 'no sender' });
  parentPort.postMessage({ kind: 'done', output: { ...input, size: input.bytes?.length } });
});
parentPort.postMessage({ kind: 'ready' });
`;

interface Input {
  end?: 'memory' | 'exit' | 'throw' | 'never' | 'failed';
  name?: string;
  bytes?: Uint8Array;
}
const evaluate = declareTask<Input, Input & { size?: number }>('any', 'evaluation');
const parse = declareTask<Input, Input>('any', 'parsing');

async function usePool(program = PROGRAM): Promise<TaskPool> {
  const file = join(await useTempFolder(), 'program.mjs');
  await writeFile(file, program);
  const pool = createTaskPool(pathToFileURL(file));
  cleanUp(() => pool.close());
  return pool;
}
const run = (pool: TaskPool, input: Input, tenantId = 'a') => pool.run(evaluate, input, tenantId);

describe('a pool of worker threads', () => {
  it('starts no thread before the first task', async () => {
    const pool = await usePool();
    expect(pool.stats()).toEqual({ threads: 0, busy: 0, waiting: 0, killed: { expired: 0, crashed: 0 } });
    expect(await run(pool, { name: 'ada' })).toMatchObject({ name: 'ada' });
    expect(pool.stats()).toMatchObject({ threads: 1, busy: 0, waiting: 0 });
  });

  it('sends the bytes of a view only, and leaves them where they were', async () => {
    const pool = await usePool();
    const view = Buffer.alloc(1_000_000).subarray(10, 13);
    const { size, bytes } = await run(pool, { bytes: view });
    expect([size, (bytes as Uint8Array).buffer.byteLength, view.length]).toEqual([3, 3, 3]);
  });

  it('rejects with the reason that a task gives, and uses the thread again', async () => {
    const pool = await usePool();
    await expect(run(pool, { end: 'failed' })).rejects.toThrow(/^no sender$/);
    await run(pool, {});
    expect(pool.stats()).toMatchObject({ threads: 1, killed: { crashed: 0, expired: 0 } });
  });

  it('ends a thread that takes too long, after a second try with more time', async () => {
    const pool = await usePool();
    await expect(run(pool, { end: 'never' })).rejects.toMatchObject({
      failure: 'expired',
      message: 'It takes longer than 1 s',
    });
    expect(pool.stats().killed).toEqual({ expired: 2, crashed: 0 });
    expect(await run(pool, { name: 'ada' })).toMatchObject({ name: 'ada' });
  });

  it.each(['memory', 'exit', 'throw'] as const)('survives a thread that ends itself: %s', async (end) => {
    const pool = await usePool();
    await expect(pool.run(parse, { end }, 'a')).rejects.toMatchObject({ failure: 'crashed' });
    expect(pool.stats().killed).toEqual({ expired: 0, crashed: 1 });
    expect(await run(pool, { name: 'ada' })).toMatchObject({ name: 'ada' });
  });

  it('answers other tenants while one of them uses all it may', async () => {
    const pool = await usePool();
    const hostile = Array.from({ length: 5 }, () => run(pool, { end: 'never' }));
    const ended = Promise.allSettled(hostile);
    let isEnded = false;
    void ended.then(() => {
      isEnded = true;
    });
    for (let n = 0; n < 20; n++) await run(pool, { name: String(n) }, 'b');
    expect(isEnded).toBe(false);
    await ended;
  });

  it('refuses more than it can keep waiting, of each tenant', async () => {
    const pool = await usePool();
    const many = Array.from({ length: 600 }, () => run(pool, {}));
    const settled = Promise.allSettled(many);
    const others = run(pool, { name: 'ada' }, 'b');
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(100);
    expect(refused[0]).toMatchObject({ reason: { key: 'service_unavailable' } });
    expect(await others).toMatchObject({ name: 'ada' });
  });

  it('refuses tasks if its program cannot be started, without blaming them', async () => {
    const pool = await usePool('throw new Error("broken")');
    await expect(run(pool, {})).rejects.toMatchObject({ key: 'service_unavailable' });
    await expect(run(pool, {})).rejects.toMatchObject({ key: 'service_unavailable' });
    expect(pool.stats()).toMatchObject({ waiting: 0, busy: 0, killed: { crashed: 0 } });
  });

  it('rejects what runs and waits when it is closed, and blames no task', async () => {
    const pool = await usePool();
    const running = run(pool, { end: 'never' });
    const waiting = run(pool, {});
    const settled = Promise.allSettled([running, waiting]);
    await until(() => pool.stats().busy === 1);
    await pool.close();
    expect(await settled).toMatchObject([
      { reason: { key: 'service_unavailable' } },
      { reason: { key: 'service_unavailable' } },
    ]);
    await expect(run(pool, {})).rejects.toMatchObject({ key: 'service_unavailable' });
  });
});
