import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isUuid, newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import { type ParameterOf, type RowOf, rowSet } from '../db/rows.ts';
import { joiningStatement, systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Route } from './route.ts';

const newEntries = rowSet({
  id: 'uuid',
  tenant_id: 'uuid?',
  actor_type: 'text',
  actor_id: 'uuid?',
  actor_name: 'text',
  operation: 'text',
  target_id: 'text?',
  changes: 'text',
  address: 'text',
  request_id: 'text',
  created_at: 'timestamptz',
});
type Entry = RowOf<typeof newEntries>;

const insertFrom = (entries: string): string =>
  `insert into audit_entries (id, tenant_id, actor_type, actor_id, actor_name, operation, target_id, changes, address,
                              request_id, created_at)
   select e.id, e.tenant_id, e.actor_type, e.actor_id, e.actor_name, e.operation, e.target_id, e.changes::jsonb, e.address,
          e.request_id, e.created_at
     from ${entries}`;
const insertEntry = joiningStatement<unknown[]>('audit.insert', insertFrom(newEntries.fromOne(1, 'e')));
/** For changes without a transaction of their own: 200 entries take 4 ms of PostgreSQL as one statement, 20 as one each. */
const insertEntries = systemStatement<[entries: ParameterOf<typeof newEntries>]>(
  'audit.insert_many',
  insertFrom(newEntries.from(1, 'e')),
);
const membershipsOf = systemStatement<[personId: string], { tenant_id: string; id: string; name: string }>(
  'audit.memberships',
  'select tenant_id, id, name from users where person_id = $1 order by tenant_id',
);

/** Who made a change. */
interface Actor {
  type: 'user' | 'token' | 'operator';
  id: string | null;
  name: string;
}

/** How a request of a route is described. Computed once per route. */
export interface RouteAudit {
  describe(request: FastifyRequest, body: unknown, result: unknown): Entry;
}

interface Node {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  items?: Node;
  anyOf?: Node[];
  properties?: Record<string, Node>;
}

const MAX_ITEMS = 20;
const MAX_ID_CHARACTERS = 100;
const CLOSED_TYPES = new Set(['boolean', 'integer', 'number', 'null']);

/** Whether every value of a schema is one of a few, a number or an id: no text, so neither a secret nor what a customer wrote. */
function isClosed({ type, enum: values, format, items, anyOf }: Node): boolean {
  if (anyOf) return anyOf.every(isClosed);
  if (items) return isClosed(items);
  if (values !== undefined || format === 'uuid' || format === 'date-time') return true;
  return type !== undefined && [type].flat().every((one) => CLOSED_TYPES.has(one));
}

/** The given fields. A value is null if it could contain a text. */
function changesOf(properties: Record<string, Node>, closed: ReadonlySet<string>, body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return '{}';
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(properties, name)) continue;
    changes[name] = !closed.has(name) ? null : Array.isArray(value) ? value.slice(0, MAX_ITEMS) : value;
  }
  return JSON.stringify(changes);
}

/** The id in the path, else that of what was created, or of the job that was started. */
function targetOf(request: FastifyRequest, result: unknown): string | null {
  const inPath = Object.values((request.params ?? {}) as Record<string, string>).at(-1);
  const created = result as { id?: unknown; jobId?: unknown } | null | undefined;
  const id = inPath ?? created?.id ?? created?.jobId;
  return typeof id === 'string' ? id.slice(0, MAX_ID_CHARACTERS).toWellFormed().replaceAll('\0', '') : null;
}

function actorOf({ principal, session }: FastifyRequest): Actor {
  if (principal) return principal.caller;
  return session
    ? { type: 'operator', id: session.personId, name: session.personName }
    : { type: 'operator', id: null, name: 'operator token' };
}

/** POSTs that answer a question, or show for some seconds who types, and change nothing. */
const QUESTION =
  /\/(?:search|counts|render|describe|presence|examine|preview|automations\/check|explain|dry_run|funnel)$/;

/** GETs that are recorded: one gives out everything about a person, and with one somebody logs in. */
const RECORDED_READS: readonly string[] = ['exportContactData', 'finishOidcLogin'];

const isRecorded = ({ spec, kind }: Route): boolean =>
  RECORDED_READS.includes(spec.operationId) ||
  (spec.method !== 'GET' && kind !== 'stream' && !QUESTION.test(spec.path));

/** How requests of a route are recorded; undefined for one that is not. */
export function auditOf(route: Route): RouteAudit | undefined {
  const { spec } = route;
  if (!isRecorded(route)) return undefined;
  const { properties = {} } = (spec.body ?? {}) as Node;
  const closed = new Set(Object.keys(properties).filter((name) => isClosed(properties[name] as Node)));
  // Nothing of a deleted tenant stays with it.
  const namesTenant =
    spec.access === 'operator' && spec.path.includes('/:tenantId') && spec.operationId !== 'deleteTenant';
  return {
    describe(request, body, result) {
      const actor = actorOf(request);
      const named = namesTenant ? (request.params as { tenantId: string }).tenantId : '';
      const tenantId = request.principal?.tenantId ?? (isUuid(named) ? named : null);
      return {
        id: newId(),
        tenant_id: tenantId,
        actor_type: actor.type,
        actor_id: actor.id,
        actor_name: actor.name,
        operation: spec.operationId,
        target_id: targetOf(request, result),
        changes: changesOf(properties, closed, body),
        address: request.ip,
        request_id: request.id,
        created_at: new Date(nowMs()),
      };
    },
  };
}

/** Stores an entry in the transaction of the change. It travels with the commit. */
export const recordInTransaction = (tx: Pick<TenantTx, 'enqueue'>, entry: Entry): void =>
  tx.enqueue(insertEntry, newEntries.encodeOne(entry));

/** What changes without a transaction of their own write into. */
export interface AuditLog {
  /** Stores an entry soon: within seconds, and before the process ends. */
  recordSoon(entry: Entry): void;
  /** Stores what a person did with the own account, in each tenant that the person belongs to. */
  recordOfPerson(personId: string, entry: Entry): Promise<void>;
  flush(): Promise<void>;
}

const MAX_PENDING = 200;
/** While the database cannot be reached, so many are kept. */
const MAX_KEPT = 10_000;

export function auditLog(db: Database, log: Logger): AuditLog {
  let pending: Entry[] = [];

  async function flush(): Promise<void> {
    const entries = pending;
    if (entries.length === 0) return;
    pending = [];
    try {
      await db.run(insertEntries, [newEntries.encode(entries)]);
    } catch (error) {
      pending = [...entries, ...pending].slice(-MAX_KEPT);
      throw error;
    }
  }

  return {
    recordSoon(entry) {
      pending.push(entry);
      if (pending.length % MAX_PENDING === 0)
        flush().catch((error) => log.warn({ err: error }, 'entries of the audit log could not be stored'));
    },
    async recordOfPerson(personId, entry) {
      const memberships = await db.all(membershipsOf, [personId]);
      await db.systemTransaction(async (tx) => {
        for (const { tenant_id, id: actor_id, name: actor_name } of memberships)
          recordInTransaction(tx, {
            ...entry,
            id: newId(),
            tenant_id,
            actor_type: 'user',
            actor_id,
            actor_name,
          });
      });
    },
    flush,
  };
}
