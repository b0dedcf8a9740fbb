import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../../base/errors.ts';
import { type Binaries, cannotRunHere, OWN_DATABASE } from './binaries.ts';
import { type Cluster, SUPERUSER } from './cluster.ts';
import { probeServer } from './connection.ts';
import { launch, settingsFor } from './launch.ts';
import {
  inspectProcess,
  isAttached,
  type ProcessState,
  pidFilePath,
  readPidFile,
  removePidFile,
} from './left-behind.ts';
import type { Place } from './place.ts';
import { run } from './run-as.ts';

/** A postmaster that answers. */
export interface Postmaster {
  readonly pid: number;
  readonly place: Place;
  readonly adopted: boolean;
  /** Present if it is a child of this process. */
  readonly child: ChildProcess | undefined;
}

/** How long each state may last before it is an error or, for a zombie, ignored. */
const TIMEOUTS_MS = {
  /** The server recovers or stops. After a crash that can take minutes. */
  busy: 600_000,
  /** A process of this folder that does not listen, because it is starting or ending. */
  unresponsive: 60_000,
  /** It took 1.4 to 1.7 s until init reaped it. In a container without init it stays forever. */
  zombie: 15_000,
  /** The backends of a killed postmaster end after some time. */
  attached: 30_000,
};
const ROUNDS = 5;
const FAST_STOP_MS = 60_000;

const connectionAt = (place: Place, cluster: Cluster) => ({
  ...place,
  user: SUPERUSER,
  password: cluster.password,
  database: 'postgres',
});

/** Takes over the server that runs on the folder, or starts one. Concurrent calls get the same server. */
export async function runPostmaster(
  cluster: Cluster,
  place: Place,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
  whileStarting?: () => void,
): Promise<Postmaster> {
  for (let round = 1; ; round++) {
    const found = await takeOver(cluster, place);
    if (found !== undefined) return found;
    const started = await start(cluster, place, binaries, settings, whileStarting);
    if (typeof started !== 'string') return started;
    // Another process was faster: its server is taken over.
    const isStartedElsewhere = /lock file .* already exists|pre-existing shared memory block/.test(started);
    if (isStartedElsewhere && round < ROUNDS) continue;
    throw (
      cannotRunHere(started) ??
      new OperatorError(
        `PostgreSQL did not start in ${cluster.folder} (${started}): fix that (its log is ${cluster.logFile}), ` +
          `or ${OWN_DATABASE}.`,
      )
    );
  }
}

/** Handles what an earlier start left. Returns its server, or undefined if a new one can be started. */
async function takeOver(cluster: Cluster, place: Place): Promise<Postmaster | undefined> {
  let last = '';
  let since = 0;
  for (let wait = 10; ; wait = Math.min(wait * 1.5, 250)) {
    const file = await readPidFile(cluster.folder);
    const state = file === undefined ? 'gone' : await inspectProcess(file.pid, cluster.folder);
    const address = file !== undefined && state === 'ours' && file.port > 0 ? file : place;
    const { host, port } = address;
    const answer = await probeServer(connectionAt({ host, port }, cluster));
    if (answer === 'ready' && file !== undefined) {
      return { pid: file.pid, place: { host, port }, adopted: true, child: undefined };
    }
    if (answer === 'silent' && file === undefined) return undefined;

    let obstacle: keyof typeof TIMEOUTS_MS;
    if (answer !== 'silent') obstacle = 'busy';
    else if (state === 'ours' || state === 'ending') obstacle = 'unresponsive';
    else if (file !== undefined && (await isAttached(file))) obstacle = 'attached';
    else if (state === 'zombie') obstacle = 'zombie';
    else {
      // PostgreSQL removes the file of a dead process itself, but not if another process has its id.
      if (state === 'foreign' && file !== undefined) removePidFile(cluster.folder, file);
      return undefined;
    }
    if (obstacle !== last) {
      last = obstacle;
      since = performance.now();
    }
    if (performance.now() - since > TIMEOUTS_MS[obstacle]) {
      if (obstacle !== 'zombie' || file === undefined) throw stuck(cluster, file?.pid, obstacle);
      removePidFile(cluster.folder, file);
      return undefined;
    }
    await delay(wait);
  }
}

function stuck(cluster: Cluster, pid: number | undefined, obstacle: string): OperatorError {
  const which = pid === undefined ? 'a PostgreSQL' : `the PostgreSQL with process id ${pid}`;
  return new OperatorError(
    obstacle === 'attached'
      ? `The database in ${cluster.folder} is still in use by processes of an earlier PostgreSQL: end them, or, if ` +
          `that folder is a copy of a running one, remove ${pidFilePath(cluster.folder)}.`
      : `The database in ${cluster.folder} does not start: ${which} runs on it but does not answer; see its log ` +
          `${cluster.logFile}, or end that process.`,
  );
}

/** Starts a server and waits until it answers. Returns the reason if its process ended instead. */
async function start(
  cluster: Cluster,
  place: Place,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
  whileStarting?: () => void,
): Promise<Postmaster | string> {
  const launched = await launch(cluster, binaries, settingsFor(place, settings));
  whileStarting?.();
  const startedAt = performance.now();
  for (let wait = 5; ; wait = Math.min(wait * 1.3, 250)) {
    const reason = await launched.ended();
    if (reason !== undefined) return reason;
    const file = await readPidFile(cluster.folder);
    // The file may belong to the server of another process. Ours notices that and ends.
    const isOurs = file !== undefined && file.pid === (launched.child?.pid ?? file.pid);
    // Earlier attempts would only fill the log with errors.
    if (isOurs && file.ready && (await probeServer(connectionAt(place, cluster))) === 'ready') {
      return { pid: file.pid, place, adopted: false, child: launched.child };
    }
    if (performance.now() - startedAt > TIMEOUTS_MS.busy)
      throw stuck(cluster, launched.child?.pid, 'unresponsive');
    await delay(wait);
  }
}

export async function isRunning(postmaster: Postmaster, cluster: Cluster): Promise<boolean> {
  return (await stateOf(postmaster, cluster)) === 'ours';
}

function stateOf({ child, pid }: Postmaster, cluster: Cluster): Promise<ProcessState> {
  const reaped = child !== undefined && (child.exitCode !== null || child.signalCode !== null);
  return reaped ? Promise.resolve('gone') : inspectProcess(pid, cluster.folder);
}

/** Stops the server and resolves when its process has ended. */
export async function stopPostmaster(
  postmaster: Postmaster,
  cluster: Cluster,
  binaries: Binaries,
): Promise<void> {
  // Another program, or another container, may have the process id: only a server of this folder gets the signal.
  if (!(await isRunning(postmaster, cluster))) return;
  if (process.platform === 'win32') {
    await run(cluster.runAs, binaries, binaries.pgCtl, ['stop', '-m', 'fast', '-D', cluster.folder]);
    return;
  }
  process.kill(postmaster.pid, 'SIGINT');
  const startedAt = performance.now();
  let isKilled = false;
  for (let wait = 3; ; wait = Math.min(wait * 1.3, 100)) {
    const state = await stateOf(postmaster, cluster);
    if (state !== 'ours' && state !== 'ending') return;
    if (!isKilled && performance.now() - startedAt > FAST_STOP_MS) {
      // No data is lost: the next start recovers from the write-ahead log.
      process.kill(postmaster.pid, 'SIGQUIT');
      isKilled = true;
    }
    if (performance.now() - startedAt > 2 * FAST_STOP_MS) {
      throw new Error(`PostgreSQL, process id ${postmaster.pid}, does not stop.`);
    }
    await delay(wait);
  }
}
