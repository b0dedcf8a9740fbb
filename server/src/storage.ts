import type { Config } from './base/config.ts';
import type { Logger } from './base/log.ts';
import type { Connection } from './db/client-config.ts';
import { startEmbedded } from './db/embedded/embedded.ts';
import { holdFolder } from './db/embedded/lock.ts';

export interface Storage {
  connection: Connection;
  /** True for the embedded database: the lock on its folder keeps other processes out. */
  isSoleProcess: boolean;
  revive: () => Promise<void>;
  stop(): Promise<void>;
}

/** Opens the database. `whileStarting` is called as soon as PostgreSQL starts, or at once if somebody else runs it. */
export async function openStorage(config: Config, log: Logger, whileStarting: () => void): Promise<Storage> {
  if (config.DATABASE_URL !== undefined) {
    whileStarting();
    return {
      connection: { connectionString: config.DATABASE_URL },
      isSoleProcess: false,
      revive: async () => {},
      stop: async () => {},
    };
  }
  const embedded = await startEmbedded({ dataDir: config.PARLEY_DATA_DIR, whileStarting });
  const lock = await holdFolder(embedded.connection);
  if (embedded.adopted) log.warn('the last process did not stop cleanly; its database was taken over');
  if (embedded.hasRootRights)
    log.warn(
      'only root may enter the folders of PostgreSQL, so it has the rights of root on files. Move them elsewhere, or start Parley as another user',
    );
  lock.onLost(() => {
    log.fatal('another Parley has taken over this data folder');
    process.exit(1);
  });
  return {
    connection: embedded.connection,
    isSoleProcess: true,
    revive: embedded.ensureRunning,
    async stop() {
      await lock.release();
      await embedded.stop();
    },
  };
}
