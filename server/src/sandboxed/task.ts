/**
 * The kinds of tasks. Each kind leaves a thread to the others, so that texts of 200 ms never wait behind mails of 10 s.
 * A text that expires is tried once more, alone, with five times the deadline: 200 ms are short on a busy machine.
 */
export const taskKinds = {
  /** Requests of vendors, above all mails. */
  parsing: { deadlineMs: 10_000 },
  /** Texts with Liquid, and conditions over texts of customers. */
  evaluation: { deadlineMs: 200 },
} as const;

export type TaskKind = keyof typeof taskKinds;

/**
 * A function that runs in a worker thread, because its input comes from outside and may keep it busy for any time. Input and
 * output are plain data. Bytes of an input are in its own properties, where they are copied once unless their memory is shared.
 */
export interface Task<Input, Output> {
  readonly name: string;
  readonly kind: TaskKind;
  readonly types?: (input: Input) => Output;
}

export const declareTask = <Input, Output>(name: string, kind: TaskKind): Task<Input, Output> => ({
  name,
  kind,
});

/** Why a task failed because of its input: it took too long, or it ended the thread, mostly by using too much memory. */
export type TaskFailure = 'expired' | 'crashed';

/** The input of a task is to blame: to run it again would only cost as much again. */
export class TaskError extends Error {
  readonly failure: TaskFailure;
  constructor(failure: TaskFailure, message: string) {
    super(message);
    this.name = 'TaskError';
    this.failure = failure;
  }
}

/** Messages between the threads. */
export type TaskReply =
  | { kind: 'ready' }
  | { kind: 'done'; output: unknown }
  | { kind: 'failed'; message: string };

export interface TaskCall {
  name: string;
  input: unknown;
}
