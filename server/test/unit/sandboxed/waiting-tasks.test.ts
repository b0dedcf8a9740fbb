import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskKind } from '../../../src/sandboxed/task.ts';
import { WaitingTasks } from '../../../src/sandboxed/waiting-tasks.ts';

const PLACES = { perKind: 2, perTenant: 1, retries: 1 };

interface Task {
  name: string;
  kind: TaskKind;
  tenantId: string;
  isRetry: boolean;
}
const task = (name: string, more: Partial<Task> = {}): Task => ({
  name,
  kind: 'evaluation',
  tenantId: 'a',
  isRetry: false,
  ...more,
});
const fill = (...tasks: Task[]): WaitingTasks<Task> => {
  const waiting = new WaitingTasks<Task>(PLACES);
  for (const one of tasks) waiting.add(one);
  return waiting;
};

describe('waiting tasks', () => {
  it('let tenants take turns', () => {
    const b = task('b1', { tenantId: 'b' });
    const waiting = fill(task('a1'), task('a2'), task('a3'), b);
    const [first, second] = [waiting.take(), waiting.take()] as [Task, Task];
    expect([first.name, second.name, waiting.take()]).toEqual(['a1', 'b1', undefined]);
    waiting.ended(first);
    expect(waiting.take()?.name).toBe('a2');
  });

  it('leave a thread to each kind', () => {
    const mails = ['a', 'b', 'c'].map((tenantId) => task(`mail ${tenantId}`, { tenantId, kind: 'parsing' }));
    const waiting = fill(...mails, task('text', { tenantId: 'd' }));
    expect([1, 2, 3, 4].map(() => waiting.take()?.name)).toEqual(['mail a', 'mail b', 'text', undefined]);
  });

  it('start one that has expired at a time', () => {
    const retries = ['a', 'b'].map((tenantId) => task(`again ${tenantId}`, { tenantId, isRetry: true }));
    const waiting = fill(...retries, task('text', { tenantId: 'c' }));
    expect([1, 2, 3].map(() => waiting.take()?.name)).toEqual(['again a', 'text', undefined]);
  });

  it('are all started, in the order of their tenant and kind, and never more than there are places', () => {
    const tasks = fc.array(
      fc.record({
        tenantId: fc.constantFrom('a', 'b', 'c'),
        kind: fc.constantFrom<TaskKind>('parsing', 'evaluation'),
        isRetry: fc.boolean(),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(tasks, fc.infiniteStream(fc.nat(5)), (given, ends) => {
        const all = given.map((one, index) => task(String(index), one));
        const waiting = fill(...all);
        const running: Task[] = [];
        const started: Task[] = [];
        for (;;) {
          const canTake = waiting.canTake();
          const next = waiting.take();
          expect(next !== undefined).toBe(canTake);
          if (next) {
            started.push(next);
            running.push(next);
            expect(running.filter(({ kind }) => kind === next.kind).length).toBeLessThanOrEqual(2);
            expect(running.filter(({ isRetry }) => isRetry).length).toBeLessThanOrEqual(1);
          } else {
            if (running.length === 0) break;
            const [ended] = running.splice((ends.next().value as number) % running.length, 1);
            waiting.ended(ended as Task);
          }
        }
        expect(started.length).toBe(all.length);
        const keyOf = (one: Task): string => `${one.kind} ${one.tenantId} ${one.isRetry}`;
        for (const key of new Set(all.map(keyOf))) {
          const names = (some: Task[]) => some.filter((one) => keyOf(one) === key).map(({ name }) => name);
          expect(names(started)).toEqual(names(all));
        }
      }),
    );
  });
});
