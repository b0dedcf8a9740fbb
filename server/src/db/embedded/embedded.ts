import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../../base/errors.ts';
import { findBinaries } from './binaries.ts';
import { openCluster, readPassword, SUPERUSER } from './cluster.ts';
import { APP_ROLE, type Connection, ensureDatabase } from './connection.ts';
import { explainFileErrors, prepareDataFolder } from './folder.ts';
import { inspectProcess, readPidFile } from './left-behind.ts';
import { choosePlace, removePlace, restorePlace } from './place.ts';
import { isRunning, type Postmaster, runPostmaster, stopPostmaster } from './postmaster.ts';

export interface EmbeddedOptions {
  /** Parley's data folder. It contains the database in `postgres` and the log `postgres.log`. */
  readonly dataDir: string;
  /** Created if it is missing. Default: `parley`. */
  readonly database?: string;
  /** Additional settings. Durability and the address cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called once PostgreSQL's process runs, for what can be done until it answers. */
  readonly whileStarting?: () => void;
}

export interface EmbeddedDatabase {
  /** As the owner of the database, without rights beyond it. */
  readonly connection: Connection;
  /** As the superuser, for maintenance. */
  readonly superuser: Connection;
  /** Whether PostgreSQL has root's rights on files, because its folders are closed to everybody else. */
  readonly hasRootRights: boolean;
  /** Whether the server of a killed process was taken over. It keeps its settings. */
  readonly adopted: boolean;
  /**
   * Starts the server again if it has died, with the same address and password. Fast if the server runs; concurrent
   * calls share one start.
   */
  ensureRunning(): Promise<void>;
  /**
   * Stops the server and resolves when it has ended. Only the process that holds the folder (`holdFolder`) may stop it,
   * because a second Parley on the same folder uses the same server.
   */
  stop(): Promise<void>;
}

const DATABASE = 'parley';

/** The database of a folder whose server runs now, without starting it; undefined if it does not run. */
export async function findRunning(givenDir: string): Promise<Connection | undefined> {
  const folder = join(await realpath(givenDir).catch(() => givenDir), 'postgres');
  const file = await readPidFile(folder).catch(() => undefined);
  if (file === undefined || (await inspectProcess(file.pid, folder)) !== 'ours') return undefined;
  const { host, port } = file;
  return { host, port, user: APP_ROLE, password: await readPassword(folder), database: DATABASE };
}

/** Starts run one after the other per folder, as drafts are named after the process. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Starts PostgreSQL on the data folder, or takes over the server of a killed process. The server outlives this process
 * unless it is stopped. Problems that the operator can fix are thrown as an `OperatorError`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir);
  const turn = (turns.get(dataDir) ?? Promise.resolve()).then(() =>
    explainFileErrors(dataDir, () => startInFolder(dataDir, options)),
  );
  const settled = turn.then(
    () => {},
    () => {},
  );
  turns.set(dataDir, settled);
  settled.then(() => {
    if (turns.get(dataDir) === settled) turns.delete(dataDir);
  });
  return turn;
}

async function startInFolder(givenDir: string, options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  await prepareDataFolder(givenDir);
  // Processes are recognised by the path in their command line, so it must be unique.
  const dataDir = await realpath(givenDir);
  const binaries = await findBinaries(dataDir);
  const cluster = await openCluster(dataDir, binaries);
  const settings = options.settings ?? {};
  const firstPlace = await choosePlace(cluster);

  let postmaster: Postmaster = await runPostmaster(
    cluster,
    firstPlace,
    binaries,
    settings,
    options.whileStarting,
  );
  const { place, adopted } = postmaster;
  const superuser: Connection = {
    ...place,
    user: SUPERUSER,
    password: cluster.password,
    database: options.database ?? DATABASE,
  };
  const connection: Connection = { ...superuser, user: APP_ROLE };
  try {
    await ensureDatabase(superuser);
  } catch (error) {
    if (!adopted) await stopPostmaster(postmaster, cluster, binaries).catch(() => {});
    throw error;
  }

  let reviving: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  async function revive(): Promise<void> {
    if (await isRunning(postmaster, cluster)) return;
    await restorePlace(place, cluster);
    const next = await runPostmaster(cluster, place, binaries, settings);
    if (next.place.host !== place.host || next.place.port !== place.port) {
      throw new OperatorError(
        'Another Parley is running on this data folder and has started its database elsewhere: stop one of them.',
      );
    }
    postmaster = next;
  }

  async function stop(): Promise<void> {
    await reviving?.catch(() => {});
    await stopPostmaster(postmaster, cluster, binaries);
    await removePlace(place, cluster);
  }

  return {
    connection,
    superuser,
    hasRootRights: cluster.runAs.renamed && cluster.runAs.uid === undefined,
    adopted,
    ensureRunning() {
      if (stopping !== undefined) return Promise.reject(new Error('The embedded database was stopped.'));
      reviving ??= explainFileErrors(dataDir, revive).finally(() => {
        reviving = undefined;
      });
      return reviving;
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}
