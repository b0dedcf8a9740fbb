import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OperatorError } from '../../base/errors.ts';
import { findBinaries } from './binaries.ts';
import { openCluster, SUPERUSER } from './cluster.ts';
import { type Connection, ensureDatabase } from './connection.ts';
import { prepareDataFolder, withSentences } from './folder.ts';
import { choosePlace, leavePlace, restorePlace } from './place.ts';
import { isRunning, type Postmaster, runPostmaster, stopPostmaster } from './postmaster.ts';

export interface EmbeddedOptions {
  /** Parley's data folder. The database lives in its folder `postgres`, the log is its `postgres.log`. */
  readonly dataDir: string;
  /** Made when it is missing; `parley` unless given. */
  readonly database?: string;
  /** More settings for the server. Durability and where it listens cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedDatabase {
  readonly connection: Connection;
  /** True when a server left behind by a killed process was taken over. It keeps the settings it was started with. */
  readonly adopted: boolean;
  /**
   * Starts the server again, at the same place and with the same password, if it has died. It is cheap when the
   * server lives, and callers at the same time share one start.
   */
  ensureRunning(): Promise<void>;
  /**
   * Orderly stop: resolves when the server is gone. Only the holder of the folder (`holdFolder`) may stop it,
   * because a second Parley on the same folder has taken over the very same server.
   */
  stop(): Promise<void>;
}

/** Starts under way in this process, by folder: they draft a database under the process's one name. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Starts PostgreSQL on the data folder, or takes over the one a killed process left running there. It outlives
 * this process unless it is stopped. What the operator can mend is thrown as an `OperatorError`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir);
  const turn = (turns.get(dataDir) ?? Promise.resolve()).then(() =>
    withSentences(dataDir, () => startInFolder(dataDir, options)),
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
  // Processes are recognised by the path on their command line, so there must be one spelling of it.
  const dataDir = await realpath(givenDir);
  const binaries = await findBinaries(dataDir);
  const cluster = await openCluster(dataDir, binaries);
  const settings = options.settings ?? {};
  const firstPlace = await choosePlace(cluster);

  let postmaster: Postmaster = await runPostmaster(cluster, firstPlace, binaries, settings);
  const { place, adopted } = postmaster;
  const connection: Connection = {
    ...place,
    user: SUPERUSER,
    password: cluster.password,
    database: options.database ?? 'parley',
  };
  try {
    await ensureDatabase(connection);
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
    await leavePlace(place, cluster);
  }

  return {
    connection,
    adopted,
    ensureRunning() {
      if (stopping !== undefined) return Promise.reject(new Error('The embedded database was stopped.'));
      reviving ??= withSentences(dataDir, revive).finally(() => {
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
