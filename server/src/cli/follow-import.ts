import { setTimeout as delay } from 'node:timers/promises';
import { getImport, getImportErrors, type Import, ParleyError } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { ask, clientOf, operatorError } from './api.ts';
import { type CommandContext, STOPPED, type Target } from './options.ts';
import { showProgress } from './progress-bar.ts';
import { reasonOf } from './send.ts';
import { count, jsonText, plain } from './text.ts';
import { writeWhole } from './write-whole.ts';

const POLL_MS = 500;
const ANSWER_MS = 15_000;
const MAX_WAIT_MS = 15_000;
const SHOWN_ISSUES = 5;

interface FollowOptions {
  /** Where the rows with issues are written. */
  errors: string;
  isJson: boolean;
}

const isActive = ({ status }: Import): boolean => status === 'queued' || status === 'running';
const doneOf = ({ created, updated, skipped, failed }: Import): number =>
  created + updated + skipped + failed;
/** Whether the next request may succeed: the server is restarted, busy or not reachable. */
const isTemporary = (error: unknown): error is ParleyError =>
  error instanceof ParleyError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Shows how far an import is until it has ended, also over a lost connection, and then what became of its rows. */
export async function followImport(
  target: Target,
  started: Import,
  options: FollowOptions,
  context: CommandContext,
): Promise<void> {
  const { say, note, signal } = context;
  const ended = await waitForEnd(target, started, context);
  if (!ended) {
    note(`The import goes on. Follow it:  parley contacts import --follow ${started.id}`);
    note(`Cancel it:                      parley contacts import --cancel ${started.id}`);
    process.exitCode = STOPPED;
    return;
  }
  if (ended.failed > 0) await writeErrors(target, ended.id, options.errors, signal);
  if (options.isJson) say(jsonText(ended));
  else for (const line of summaryOf(ended, options.errors)) say(line);
  if (ended.status !== 'completed' || ended.failed > 0) process.exitCode = 1;
}

/** Returns undefined if the user stops before the end. */
async function waitForEnd(
  target: Target,
  started: Import,
  { note, signal }: CommandContext,
): Promise<Import | undefined> {
  const client = clientOf(target);
  const bar = showProgress(process.stderr);
  const begin = { at: performance.now(), done: doneOf(started) };
  let current = started;
  let failures = 0;
  while (isActive(current)) {
    const done = doneOf(current);
    const seconds = (performance.now() - begin.at) / 1000;
    bar.update({
      done,
      total: current.total,
      failed: current.failed,
      perSecond: (done - begin.done) / seconds,
    });
    try {
      await delay(POLL_MS, undefined, { signal });
      current = await getImport(client, {
        path: { importId: started.id },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      if (failures > 0) note('Connected again.');
      failures = 0;
    } catch (error) {
      if (signal.aborted) {
        bar.clear();
        return undefined;
      }
      const isTimeout = (error as Error).name === 'TimeoutError';
      if (!isTimeout && !isTemporary(error))
        throw error instanceof ParleyError ? operatorError(target, error) : error;
      bar.clear();
      if (failures === 0)
        note(`The server at ${target.url} is unreachable (${reasonOf(error)}). The import goes on; waiting…`);
      const retryAfterMs = error instanceof ParleyError ? (error.retryAfter ?? 0) * 1000 : 0;
      await delay(Math.max(retryAfterMs, Math.min(MAX_WAIT_MS, POLL_MS * 2 ** failures)), undefined, {
        signal,
      }).catch(() => {});
      failures += 1;
    }
  }
  bar.clear();
  return current;
}

async function writeErrors(
  target: Target,
  importId: string,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const { body } = await ask(target, signal, (_client, options) =>
    // Without the deadline of an answer: the file may be long.
    getImportErrors(clientOf(target), { ...options, signal, path: { importId } }),
  );
  const describe = (reason: string): string =>
    `The rows that were not imported cannot be written to ${path} (${reason}). Choose another file with --errors: parley contacts import --follow ${importId} --errors FILE`;
  await writeWhole(
    path,
    async (sink) => {
      try {
        for await (const part of body as unknown as AsyncIterable<Uint8Array>) await sink(part);
      } catch (error) {
        throw error instanceof OperatorError ? error : new OperatorError(describe(reasonOf(error)));
      }
    },
    describe,
  );
}

function summaryOf(ended: Import, errorsPath: string): string[] {
  const { status, dryRun, created, updated, skipped, failed, error, issues } = ended;
  const would = dryRun ? 'would be ' : '';
  const counts = `${count(created)} ${would}created, ${count(updated)} ${would}updated, ${count(skipped)} skipped, ${count(failed)} with issues`;
  return [
    `${status === 'completed' ? (dryRun ? 'Checked' : 'Imported') : `The import ${status === 'failed' ? 'failed' : 'was cancelled'}`}: ${counts}.`,
    ...(error === null ? [] : [plain(error)]),
    ...issues
      .slice(0, SHOWN_ISSUES)
      .map(({ row, column, reason }) =>
        plain(`  row ${row}${column === null ? '' : `, ${column}`}: ${reason}`),
      ),
    ...(failed > 0
      ? [`All rows with issues are in ${errorsPath}. Correct them there and import that file.`]
      : []),
  ];
}
