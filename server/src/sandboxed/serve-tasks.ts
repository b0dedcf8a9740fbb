import { setPriority } from 'node:os';
import { parentPort, type TransferListItem } from 'node:worker_threads';
import type { Task, TaskCall, TaskReply } from './task.ts';

/** A thread of this priority gets a quarter of a processor that it shares with the event loop. */
const NICENESS = 5;

type Handler = (input: never) => unknown;

/** A task and the function that performs it. */
export interface HandledTask {
  name: string;
  handle: Handler;
}

export const handleTask = <Input, Output>(
  { name }: Task<Input, Output>,
  handle: (input: Input) => Output | Promise<Output>,
): HandledTask => ({ name, handle: handle as Handler });

/** The buffers of an output that can be moved instead of copied: large ones that belong to nothing else. */
function movableBuffers(value: unknown, found: TransferListItem[] = []): TransferListItem[] {
  if (value instanceof Uint8Array) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength)
      found.push(value.buffer);
  } else if (Array.isArray(value)) for (const item of value) movableBuffers(item, found);
  else if (typeof value === 'object' && value !== null && !(value instanceof Date))
    for (const item of Object.values(value)) movableBuffers(item, found);
  return found;
}

/** Performs tasks in a worker thread, one at a time, as the pool sends them. */
export function serveTasks(tasks: readonly HandledTask[]): void {
  const handlers = new Map(tasks.map(({ name, handle }) => [name, handle]));
  const port = parentPort;
  if (!port) throw new Error('This file runs in a worker thread only.');
  // Behind the event loop when processors are scarce. Linux has a priority per thread, other systems one per process.
  if (process.platform === 'linux') setPriority(0, NICENESS);
  const reply = (message: TaskReply, move: TransferListItem[] = []): void => port.postMessage(message, move);
  port.on('message', async ({ name, input }: TaskCall) => {
    try {
      const handle = handlers.get(name);
      if (!handle) throw new Error(`There is no task "${name}".`);
      const output: unknown = await handle(input as never);
      reply({ kind: 'done', output }, movableBuffers(output));
    } catch (error) {
      reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  });
  reply({ kind: 'ready' });
}
