import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { openConfig } from '../channels/channel.ts';
import { INBOUND_LIST } from '../channels/receive-request.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { storable } from '../db/storable.ts';
import type { Publisher } from '../engine/publish.ts';
import { type WorkRow, workList } from '../engine/work-list.ts';
import { type Work, work } from '../engine/worker.ts';
import type {
  Adapter,
  AdapterChannel,
  ChannelKind,
  InboundEvent,
  InboundMessage,
} from '../providers/adapter.ts';
import { receiveMessages } from './receive-messages.ts';

interface InboundRow extends WorkRow {
  channel_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  receivedAt: Date;
  attempts: number;
}

const inbound = workList<InboundRow>({
  name: INBOUND_LIST,
  table: 'inbound',
  lane: 'channel_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select i.id, i.tenant_id, i.channel_id, i.url, i.headers, i.body, i.created_at as "receivedAt",
                 i.attempts, c.kind, c.provider, c.address, c.config_encrypted
            from inbound i join channels c on c.id = i.channel_id and c.tenant_id = i.tenant_id
           where i.slot = $1 and i.channel_id = $2 and i.due_at <= $3 order by i.due_at, i.id limit $4`,
  batch: 200,
  perLane: 1,
  atOnce: 8,
});

const remove = statement<[ids: string[], tenantId: string]>(
  'inbound.delete',
  'delete from inbound where id = any ($1::uuid[]) and tenant_id = $2',
);
const fail = statement<[id: string, tenantId: string, attempts: number, error: string, dueAt: Date | null]>(
  'inbound.fail',
  'update inbound set attempts = attempts + 1, error = $4, due_at = $5 where id = $1 and tenant_id = $2 and attempts = $3',
);

/** A request that fails again and again stays listed with its error, and waits for someone to look. */
const TRIES = 5;
const FIRST_PAUSE_MS = 1_000;

/** When the database is out of reach, rows stay as they are and the lane rests a moment. */
function requireRowsFault(error: unknown): void {
  if (error instanceof ApiError && error.key === 'service_unavailable') throw error;
}

interface InboundNeeds {
  db: Database;
  clock: Clock;
  keys: Keys;
  publisher: Publisher;
  adapters: ReadonlyMap<string, Adapter>;
}

/** Turns stored vendor requests into messages, up to 200 of a channel in one transaction; a bad one fails alone. */
export function processInbound({ db, clock, keys, publisher, adapters }: InboundNeeds): Work {
  const channelOf = (row: InboundRow): AdapterChannel & { tenantId: string } => ({
    id: row.channel_id,
    tenantId: row.tenant_id,
    kind: row.kind,
    address: row.address,
    config: openConfig(row.config_encrypted, keys),
  });

  function parse(row: InboundRow): Promise<InboundEvent[]> | InboundEvent[] {
    const adapter = adapters.get(row.provider);
    if (!adapter) throw new Error(`There is no provider "${row.provider}".`);
    return adapter.parseInbound(row, channelOf(row));
  }

  async function storeAll(rows: InboundRow[]): Promise<void> {
    const channel = channelOf(rows[0] as InboundRow);
    const events = (await Promise.all(rows.map(parse))).flat();
    const messages = events.filter((event): event is InboundMessage => event.kind === 'message');
    await db.transaction(async (tx) => {
      await receiveMessages(tx, channel, messages, clock.now(), publisher);
      await tx.run(remove, [rows.map((row) => row.id), channel.tenantId]);
    });
  }

  async function giveUpOn(row: InboundRow, error: unknown): Promise<void> {
    const again = row.attempts + 1 < TRIES;
    const dueAt = again ? new Date(clock.now().getTime() + FIRST_PAUSE_MS * 2 ** row.attempts) : null;
    await db.run(fail, [row.id, row.tenant_id, row.attempts, storable(String(error)), dueAt]);
  }

  return work(inbound, async (rows) => {
    try {
      await storeAll(rows);
      return 'ok';
    } catch (error) {
      requireRowsFault(error);
    }
    let failed = false;
    for (const row of rows)
      await storeAll([row]).catch((error) => {
        requireRowsFault(error);
        failed = true;
        return giveUpOn(row, error);
      });
    return failed ? 'failing' : 'ok';
  });
}
