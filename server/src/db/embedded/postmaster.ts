import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../../base/errors.ts';
import { type Binaries, cannotRunHere, OWN_DATABASE } from './binaries.ts';
import { type Cluster, SUPERUSER } from './cluster.ts';
import { ask } from './connection.ts';
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
  /** When it is our own child, which only we can reap. */
  readonly child: ChildProcess | undefined;
}

/** How long each sight is waited out before it becomes an error or, for a zombie, is passed over. */
const PATIENCE_MS = {
  /** It recovers or stops: after a crash that can take minutes, and there is nothing better to do. */
  busy: 600_000,
  /** A process of this folder that does not listen: it is about to begin, or about to end. */
  deaf: 60_000,
  /** 1.4 to 1.7 s were seen until init reaped it; where no one reaps, it stays for ever. */
  zombie: 15_000,
  /** The backends of a killed postmaster end when they notice. */
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

/** Takes over the server that runs on the folder, or starts one. Several starters end up with the same server. */
export async function runPostmaster(
  cluster: Cluster,
  place: Place,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
): Promise<Postmaster> {
  for (let round = 1; ; round++) {
    const found = await takeOver(cluster, place);
    if (found !== undefined) return found;
    const started = await start(cluster, place, binaries, settings);
    if (typeof started !== 'string') return started;
    // Another starter was faster by a moment: then its server is the one to take over.
    const beaten = /lock file .* already exists|pre-existing shared memory block/.test(started);
    if (beaten && round < ROUNDS) continue;
    throw (
      cannotRunHere(started) ??
      new OperatorError(
        `PostgreSQL did not start in ${cluster.folder} (${started}): mend that (its log is ${cluster.logFile}), ` +
          `or ${OWN_DATABASE}.`,
      )
    );
  }
}

/** Deals with what an earlier start left: resolves with its server, or with undefined when the way is free. */
async function takeOver(cluster: Cluster, place: Place): Promise<Postmaster | undefined> {
  let last = '';
  let since = 0;
  for (let wait = 10; ; wait = Math.min(wait * 1.5, 250)) {
    const file = await readPidFile(cluster.folder);
    const state = file === undefined ? 'gone' : await inspectProcess(file.pid, cluster.folder);
    const at = file !== undefined && state === 'ours' && file.port > 0 ? file : place;
    const { host, port } = at;
    const answer = await ask(connectionAt({ host, port }, cluster));
    if (answer === 'ready' && file !== undefined) {
      return { pid: file.pid, place: { host, port }, adopted: true, child: undefined };
    }
    if (answer === 'silent' && file === undefined) return undefined;

    let sight: keyof typeof PATIENCE_MS;
    if (answer !== 'silent') sight = 'busy';
    else if (state === 'ours' || state === 'ending') sight = 'deaf';
    else if (file !== undefined && (await isAttached(file))) sight = 'attached';
    else if (state === 'zombie') sight = 'zombie';
    else {
      // PostgreSQL removes the file of a process that is gone by itself, but not when its number is taken.
      if (state === 'foreign' && file !== undefined) removePidFile(cluster.folder, file);
      return undefined;
    }
    if (sight !== last) {
      last = sight;
      since = performance.now();
    }
    if (performance.now() - since > PATIENCE_MS[sight]) {
      if (sight !== 'zombie' || file === undefined) throw stuck(cluster, file?.pid, sight);
      removePidFile(cluster.folder, file);
      return undefined;
    }
    await delay(wait);
  }
}

function stuck(cluster: Cluster, pid: number | undefined, sight: string): OperatorError {
  const which = pid === undefined ? 'a PostgreSQL' : `the PostgreSQL with process id ${pid}`;
  return new OperatorError(
    sight === 'attached'
      ? `The database in ${cluster.folder} is still in use by processes of an earlier PostgreSQL: end them, or, if ` +
          `that folder is a copy of a running one, remove ${pidFilePath(cluster.folder)}.`
      : `The database in ${cluster.folder} does not come up: ${which} runs on it but does not answer; see its log ` +
          `${cluster.logFile}, or end that process.`,
  );
}

/** Starts a server and waits until it answers. Resolves with the reason when its process ended instead. */
async function start(
  cluster: Cluster,
  place: Place,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
): Promise<Postmaster | string> {
  const launched = await launch(cluster, binaries, settingsFor(place, settings));
  const begun = performance.now();
  for (let wait = 5; ; wait = Math.min(wait * 1.3, 250)) {
    const reason = await launched.ended();
    if (reason !== undefined) return reason;
    const file = await readPidFile(cluster.folder);
    // The file may be that of another starter's server, while ours is about to notice and end.
    const isIts = file !== undefined && file.pid === (launched.child?.pid ?? file.pid);
    // Asking earlier would only fill the log with refusals.
    if (isIts && file.ready && (await ask(connectionAt(place, cluster))) === 'ready') {
      return { pid: file.pid, place, adopted: false, child: launched.child };
    }
    if (performance.now() - begun > PATIENCE_MS.busy) throw stuck(cluster, launched.child?.pid, 'deaf');
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

/** Ends the sessions, writes everything down and resolves when the process is gone. */
export async function stopPostmaster(
  postmaster: Postmaster,
  cluster: Cluster,
  binaries: Binaries,
): Promise<void> {
  // The number may have gone to another program, or come from another container: only our own is signalled.
  if (!(await isRunning(postmaster, cluster))) return;
  if (process.platform === 'win32') {
    await run(cluster.runAs, binaries, binaries.pgCtl, ['stop', '-m', 'fast', '-D', cluster.folder]);
    return;
  }
  process.kill(postmaster.pid, 'SIGINT');
  const begun = performance.now();
  let urged = false;
  for (let wait = 3; ; wait = Math.min(wait * 1.3, 100)) {
    const state = await stateOf(postmaster, cluster);
    if (state !== 'ours' && state !== 'ending') return;
    if (!urged && performance.now() - begun > FAST_STOP_MS) {
      // Nothing is lost: the next start recovers from the write-ahead log.
      process.kill(postmaster.pid, 'SIGQUIT');
      urged = true;
    }
    if (performance.now() - begun > 2 * FAST_STOP_MS) {
      throw new Error(`PostgreSQL, process id ${postmaster.pid}, does not stop.`);
    }
    await delay(wait);
  }
}
