import type { TaskKind } from './task.ts';

/** What decides when a waiting task may start. */
export interface WaitingTask {
  readonly kind: TaskKind;
  readonly tenantId: string;
  /** It has expired once and gets five times the deadline. */
  isRetry: boolean;
}

export interface Places {
  /** Threads that one kind of task may use. */
  perKind: number;
  /** Threads that the tasks of one kind and tenant may use. */
  perTenant: number;
  /** Threads for tasks that have expired once, whatever their kind. */
  retries: number;
}

const keyOf = ({ kind, tenantId, isRetry }: WaitingTask): string => `${kind} ${tenantId} ${isRetry}`;

/** Tasks that wait for a thread. Tenants take turns, each kind by itself; what has expired once waits apart. Pure. */
export class WaitingTasks<T extends WaitingTask> {
  readonly #places: Places;
  /** In the order of turns. */
  readonly #waiting = new Map<string, T[]>();
  readonly #running = new Set<T>();
  #count = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  get count(): number {
    return this.#count;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  countOf(tenantId: string): number {
    let count = 0;
    for (const tasks of this.#waiting.values()) if (tasks[0]?.tenantId === tenantId) count += tasks.length;
    return count;
  }

  add(task: T): void {
    const key = keyOf(task);
    const tasks = this.#waiting.get(key);
    if (tasks) tasks.push(task);
    else this.#waiting.set(key, [task]);
    this.#count += 1;
  }

  /** Whether one more task may start. */
  canTake(): boolean {
    for (const [task] of this.#waiting.values()) if (this.#mayStart(task as T)) return true;
    return false;
  }

  /** The next task that may start, which then counts as running. */
  take(): T | undefined {
    for (const [key, tasks] of this.#waiting) {
      const task = tasks[0] as T;
      if (!this.#mayStart(task)) continue;
      tasks.shift();
      this.#count -= 1;
      // To the end of the turns.
      this.#waiting.delete(key);
      if (tasks.length > 0) this.#waiting.set(key, tasks);
      this.#running.add(task);
      return task;
    }
    return undefined;
  }

  ended(task: T): void {
    this.#running.delete(task);
  }

  /** Removes all that wait. */
  clear(): T[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#count = 0;
    return all;
  }

  #mayStart({ kind, tenantId, isRetry }: T): boolean {
    const running = [...this.#running];
    const ofKind = running.filter((one) => one.kind === kind);
    return (
      ofKind.length < this.#places.perKind &&
      ofKind.filter((one) => one.tenantId === tenantId).length < this.#places.perTenant &&
      (!isRetry || running.filter((one) => one.isRetry).length < this.#places.retries)
    );
  }
}
