import { createTaskPool, type TaskPool } from '../../src/sandboxed/task-pool.ts';
import { TASK_PROGRAM } from '../../src/system.ts';
import { cleanUp } from './clean-up.ts';

/** Worker threads that end with the test. */
export function useTaskPool(): TaskPool {
  const pool = createTaskPool(TASK_PROGRAM);
  cleanUp(() => pool.close());
  return pool;
}
