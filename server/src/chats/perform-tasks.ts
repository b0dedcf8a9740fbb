import type { Logger } from 'pino';
import type { Keys } from '../base/crypto.ts';
import { decryptConfig } from '../channels/encrypted-config.ts';
import { storeProfile } from '../contacts/handles/store-profile.ts';
import type { Database } from '../db/database.ts';
import { isServerTrouble } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import { nextDueAt } from '../engine/retry.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { Adapter, ChatSignal } from '../providers/adapter.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import { VendorFailure } from '../providers/vendor-failure.ts';
import { type ChatTaskRow, chatTasksQueue } from './queues.ts';

const deleteTask = statement<[id: string, attempts: number]>(
  'chat_tasks.delete',
  'delete from chat_tasks where id = $1 and tenant_id = $tenant and attempts = $2',
);
const postponeTask = statement<[id: string, attempts: number, dueAt: Date]>(
  'chat_tasks.postpone',
  `update chat_tasks set attempts = attempts + 1, due_at = $3
    where id = $1 and tenant_id = $tenant and attempts = $2`,
);
const lastReceived = statement<[chatId: string], { vendor_id: string }>(
  'chat_tasks.last_received',
  `select vendor_id from visible_messages
    where chat_id = $1 and tenant_id = $tenant and sender = 'inbound' and vendor_id is not null and type not in ('comment', 'reaction')
    order by created_at desc, id desc limit 1`,
);

export interface ChatTaskDeps {
  db: Database;
  keys: Keys;
  log: Logger;
  adapters: Adapters;
  context: AdapterContext;
}

/** Tells the vendor something about a chat, or asks it about the contact. Nobody waits for it. */
export async function performChatTasks(deps: ChatTaskDeps, [row]: ChatTaskRow[]): Promise<Outcome> {
  if (!row) return 'ok';
  const adapter = deps.adapters.get(row.provider);
  return row.task === 'profile' ? fetchProfile(deps, row, adapter) : sendSignal(deps, row, row.task, adapter);
}

const channelOf = (row: ChatTaskRow, keys: Keys): AdapterChannel => ({
  id: row.channel_id,
  tenantId: row.tenant_id,
  kind: row.kind,
  address: row.address,
  config: decryptConfig(row.config_encrypted, keys),
});

const handleOf = (row: ChatTaskRow) => ({ type: row.handle_type, value: row.handle_value });

/** The task is deleted first: what happens in the chat from now on needs another one. */
async function sendSignal(
  deps: ChatTaskDeps,
  row: ChatTaskRow,
  signal: ChatSignal,
  adapter: Adapter | undefined,
): Promise<Outcome> {
  const db = deps.db.forTenant(row.tenant_id);
  if ((await db.run(deleteTask, [row.id, row.attempts])) === 0 || !adapter?.signal) return 'ok';
  const last = await db.find(lastReceived, [row.chat_id]);
  if (!last) return 'ok';
  try {
    const about = { to: handleOf(row), vendorId: last.vendor_id };
    await adapter.signal(signal, about, channelOf(row, deps.keys), deps.context);
    return 'ok';
  } catch (error) {
    logFailure(deps, row, error);
    return isTemporary(error) ? 'failing' : 'ok';
  }
}

async function fetchProfile(
  deps: ChatTaskDeps,
  row: ChatTaskRow,
  adapter: Adapter | undefined,
): Promise<Outcome> {
  const db = deps.db.forTenant(row.tenant_id);
  try {
    const profile = await adapter?.fetchProfile?.(handleOf(row), channelOf(row, deps.keys), deps.context);
    await db.transaction(async (tx) => {
      if ((await tx.run(deleteTask, [row.id, row.attempts])) === 0 || !profile) return;
      await storeProfile(tx, row.handle_id, profile);
    });
    return 'ok';
  } catch (error) {
    if (isServerTrouble(error)) throw error;
    logFailure(deps, row, error);
    const dueAt = isTemporary(error) ? nextDueAt(chatTasksQueue.retry, row.attempts + 1, db.now) : null;
    if (dueAt) await db.run(postponeTask, [row.id, row.attempts, dueAt]);
    else await db.run(deleteTask, [row.id, row.attempts]);
    return dueAt ? 'failing' : 'ok';
  }
}

const isTemporary = (error: unknown): boolean => !(error instanceof VendorFailure) || error.isTemporary;

/** The code only: messages of vendors may quote addresses and credentials. */
function logFailure({ log }: ChatTaskDeps, row: ChatTaskRow, error: unknown): void {
  const code =
    error instanceof VendorFailure ? error.code : error instanceof OutboundError ? error.phase : 'other';
  const { tenant_id: tenantId, channel_id: channelId, chat_id: chatId, task, attempts } = row;
  log.info({ tenantId, channelId, chatId, task, attempts, code }, 'a call to a vendor about a chat failed');
}
