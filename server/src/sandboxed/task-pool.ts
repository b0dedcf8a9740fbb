import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ApiError } from '../base/errors.ts';
import { type Task, TaskError, type TaskFailure, type TaskKind, type TaskReply, taskKinds } from './task.ts';
import { WaitingTasks } from './waiting-tasks.ts';

/** A text that expires is tried once more with this many times its deadline. */
const RETRY_FACTOR = 5;
/** At least three: two slow tasks of one kind leave a thread to the other. */
const THREADS = Math.min(Math.max(availableParallelism(), 3), 8);
/** A retry never takes the last thread of its kind. */
const PLACES = { perKind: THREADS - 1, perTenant: Math.max(1, (THREADS - 1) >> 1), retries: 1 };
/** Of JavaScript objects and strings. A mail of 40 MiB as text needs about 150 MB. Buffers do not count. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** Beyond these, callers are refused: the row waits in its queue, which costs no memory. */
const MAX_WAITING = 2_000;
const MAX_WAITING_PER_TENANT = 500;
/** An idle thread holds about 10 MB. */
const IDLE_MS = 30_000;
/** Reading the program and the libraries takes 0.1 s; a busy machine takes longer. */
const START_MS = 30_000;

interface TaskPoolStats {
  threads: number;
  busy: number;
  waiting: number;
  /** Threads that were ended because of their task. */
  killed: Record<TaskFailure, number>;
}

/** Worker threads for tasks on untrusted input. A task that takes too long or too much memory fails alone. */
export interface TaskPool {
  /** Rejects with a `TaskError` if the input is to blame, with `service_unavailable` if too much waits. */
  run<Input extends object, Output>(
    task: Task<Input, Output>,
    input: Input,
    tenantId: string,
  ): Promise<Output>;
  stats(): TaskPoolStats;
  /** Ends all threads. Tasks under way are rejected with `service_unavailable`. */
  close(): Promise<void>;
}

interface PendingTask {
  readonly name: string;
  readonly kind: TaskKind;
  readonly tenantId: string;
  readonly input: object;
  isRetry: boolean;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  task: PendingTask | undefined;
  timer: NodeJS.Timeout | undefined;
}

const unavailable = (detail: string): ApiError => new ApiError('service_unavailable', { detail });

/**
 * A copy of the input whose bytes can be moved to the thread. A view alone would take all of its buffer with it. Shared memory is
 * not copied.
 */
function copyBytes(input: object): { input: object; moved: ArrayBuffer[] } {
  const moved: ArrayBuffer[] = [];
  const entries = Object.entries(input).map(([name, value]) => {
    if (!(value instanceof Uint8Array) || value.buffer instanceof SharedArrayBuffer) return [name, value];
    const bytes = new Uint8Array(value);
    moved.push(bytes.buffer);
    return [name, bytes];
  });
  return moved.length === 0 ? { input, moved } : { input: Object.fromEntries(entries), moved };
}

const describeDeadline = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

/** Threads start with the first task and end when they are idle. */
export function createTaskPool(program: URL): TaskPool {
  const waiting = new WaitingTasks<PendingTask>(PLACES);
  const threads = new Set<Thread>();
  const killed: TaskPoolStats['killed'] = { expired: 0, crashed: 0 };
  let isClosed = false;

  function startThread(): Thread {
    const worker = new Worker(program, { resourceLimits: MEMORY });
    // Neither an idle nor a busy thread keeps the process alive.
    worker.unref();
    const thread: Thread = { worker, isReady: false, task: undefined, timer: undefined };
    threads.add(thread);
    thread.timer = setTimeout(() => void worker.terminate(), START_MS).unref();
    worker.on('message', (reply: TaskReply) => receive(thread, reply));
    // Exit follows.
    worker.on('error', () => {});
    worker.on('messageerror', () => void worker.terminate());
    worker.on('exit', () => remove(thread));
    return thread;
  }

  function receive(thread: Thread, reply: TaskReply): void {
    clearTimeout(thread.timer);
    const { task } = thread;
    thread.task = undefined;
    if (reply.kind === 'ready') thread.isReady = true;
    else if (task) {
      waiting.ended(task);
      if (reply.kind === 'done') task.resolve(reply.output);
      else task.reject(new Error(reply.message));
    }
    dispatch();
    if (!thread.task) thread.timer = setTimeout(() => void thread.worker.terminate(), IDLE_MS).unref();
  }

  /** A thread has ended: idle, closed, by its deadline or by itself. */
  function remove(thread: Thread): void {
    clearTimeout(thread.timer);
    threads.delete(thread);
    const { task } = thread;
    thread.task = undefined;
    if (task) {
      waiting.ended(task);
      if (isClosed) task.reject(unavailable('the server is stopping'));
      else {
        killed.crashed += 1;
        task.reject(new TaskError('crashed', 'It needs more memory than allowed'));
      }
    }
    // Without a thread that starts, callers must not wait for ever.
    if (!thread.isReady && !isClosed && threads.size === 0)
      for (const one of waiting.clear()) one.reject(unavailable('no worker thread could be started'));
    else dispatch();
  }

  function expire(thread: Thread, task: PendingTask, deadlineMs: number): void {
    thread.task = undefined;
    waiting.ended(task);
    killed.expired += 1;
    threads.delete(thread);
    void thread.worker.terminate();
    if (task.isRetry)
      task.reject(new TaskError('expired', `It takes longer than ${describeDeadline(deadlineMs)}`));
    else {
      task.isRetry = true;
      waiting.add(task);
    }
    dispatch();
  }

  function start(thread: Thread, task: PendingTask): void {
    clearTimeout(thread.timer);
    thread.task = task;
    const deadlineMs = taskKinds[task.kind].deadlineMs * (task.isRetry ? RETRY_FACTOR : 1);
    try {
      const { input, moved } = copyBytes(task.input);
      thread.worker.postMessage({ name: task.name, input }, moved);
    } catch (error) {
      // The input is not plain data.
      thread.task = undefined;
      waiting.ended(task);
      task.reject(error);
      return;
    }
    thread.timer = setTimeout(() => {
      // If this thread was late itself, the reply may already be there: it is read before immediates run.
      setImmediate(() => {
        if (thread.task === task) expire(thread, task, deadlineMs);
      });
    }, deadlineMs);
  }

  /** Gives tasks to idle threads, and starts a thread if one more task may run. */
  function dispatch(): void {
    if (isClosed) return;
    for (const thread of threads)
      while (thread.isReady && !thread.task) {
        const task = waiting.take();
        if (!task) return;
        start(thread, task);
      }
    const isStarting = [...threads].some(({ isReady }) => !isReady);
    if (!isStarting && threads.size < THREADS && waiting.canTake()) startThread();
  }

  return {
    run: <Input extends object, Output>(task: Task<Input, Output>, input: Input, tenantId: string) =>
      new Promise<Output>((resolve, reject) => {
        if (isClosed) return reject(unavailable('the server is stopping'));
        if (waiting.count >= MAX_WAITING || waiting.countOf(tenantId) >= MAX_WAITING_PER_TENANT)
          return reject(unavailable('too many texts wait to be processed'));
        const { name, kind } = task;
        waiting.add({
          name,
          kind,
          tenantId,
          input,
          isRetry: false,
          resolve: resolve as (output: unknown) => void,
          reject,
        });
        dispatch();
      }),
    stats: () => ({
      threads: threads.size,
      busy: waiting.runningCount,
      waiting: waiting.count,
      killed: { ...killed },
    }),
    async close() {
      isClosed = true;
      for (const task of waiting.clear()) task.reject(unavailable('the server is stopping'));
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}
