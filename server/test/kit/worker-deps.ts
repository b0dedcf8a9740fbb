import { pino } from 'pino';
import { adapterContext } from '../../src/adapter-context.ts';
import { createKeptMailboxes } from '../../src/channels/kept-mailboxes.ts';
import type { Database } from '../../src/db/database.ts';
import { fileStore } from '../../src/files/store.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { adapters } from '../../src/providers/adapters.ts';
import type { WorkerDeps } from '../../src/queues.ts';
import { useOutboundClient } from './outbound-client.ts';
import type { TestServer } from './server.ts';
import { silentWakeUps } from './silent-wakeups.ts';
import { useTaskPool } from './task-pool.ts';

/** What the handlers of queues need, on a database that a test chooses. */
export function workerDeps({ clock, keys, filesFolder }: TestServer, db: Database): Omit<WorkerDeps, 'log'> {
  const policy = { allow: parseAllowList(''), loopback: true };
  const outbound = useOutboundClient({ ...policy, perOrigin: 4 });
  const baseUrl = (): string => 'https://parley.test';
  const store = fileStore(filesFolder);
  return {
    db,
    clock,
    keys,
    wakeUps: silentWakeUps,
    outbound,
    store,
    adapters,
    context: adapterContext({ db, clock, keys, outbound, baseUrl, files: store }),
    baseUrl,
    policy,
    tasks: useTaskPool(),
    countIgnored: () => {},
    countFailed: () => {},
    isSoleProcess: true,
    keptMailboxes: createKeptMailboxes({
      db,
      wakeUps: silentWakeUps,
      log: pino({ level: 'silent' }),
      owns: () => true,
      maxKept: 0,
    }),
  };
}
