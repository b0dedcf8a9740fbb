import { ApiError } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import { isUuid } from '../../base/ids.ts';
import type { TenantDatabase, TenantReader } from '../../db/tenant.ts';
import { hasScope, type Principal, type Scope } from '../../http/permissions.ts';
import { type Found, findEvent, findFollowing, findMessage, findRun } from './read-nodes.ts';
import type { Trace, TraceNode } from './schema.ts';

const MAX_CAUSES = 30;
const MAX_DEPTH = 6;
const MAX_NODES = 200;

/** What a caller needs to see each kind. */
const SCOPES: Readonly<Record<TraceNode['type'], Scope>> = {
  message: 'messages:read',
  event: 'events:read',
  run: 'automations:read',
  delivery: 'webhooks:read',
};

/** Events of runs have no channel, whatever chat they are about, and neither have runs without a chat. */
function isVisible(principal: Principal, { node, channelId }: Found): boolean {
  if (!hasScope(principal, SCOPES[node.type])) return false;
  if (principal.channelIds === undefined) return true;
  if (channelId !== null) return principal.channelIds.has(channelId);
  return !(node.type === 'event' && /^(?:automation|job)\./.test(node.name));
}

/** What led directly to something. */
async function findCause(
  db: TenantReader,
  { node, runId, eventId, messageId }: Found,
): Promise<Found | undefined> {
  if (node.type === 'event' && messageId !== null) return findMessage(db, messageId);
  if (runId !== null) return findRun(db, runId);
  return eventId === null ? undefined : findEvent(db, eventId);
}

/** The causes of something, the first one first, as far as the caller sees them. */
async function findCauses(db: TenantReader, found: Found, principal: Principal): Promise<Found[]> {
  const causes: Found[] = [];
  for (let next = await findCause(db, found); next; next = await findCause(db, next)) {
    if (!isVisible(principal, next) || causes.length === MAX_CAUSES) break;
    causes.unshift(next);
  }
  return causes;
}

type Followed = Found & { causeId: string };
const isDelivery = ({ node }: Found): boolean => node.type === 'delivery';

/** Everything that followed from something, by the id of its cause, as far as the caller sees it. */
async function findAllFollowing(
  db: TenantReader,
  asked: Found,
  principal: Principal,
): Promise<{ byCause: ReadonlyMap<string, Followed[]>; isComplete: boolean }> {
  const found: Followed[] = [];
  const deliveries: Followed[] = [];
  let isComplete = true;
  let level: Found[] = [asked];
  for (let depth = 0; level.length > 0; depth += 1) {
    const all = await findFollowing(db, level, MAX_NODES + 1);
    const following = all.filter((one) => isVisible(principal, one));
    if (depth === MAX_DEPTH) {
      if (following.length > 0) isComplete = false;
      break;
    }
    deliveries.push(...following.filter(isDelivery));
    const causes = following.filter((one) => !isDelivery(one));
    const shown = causes.slice(0, MAX_NODES - 1 - found.length);
    if (shown.length < causes.length) isComplete = false;
    found.push(...shown);
    level = shown;
  }
  // Nothing follows from a delivery. A thousand webhooks must not hide what an automation did.
  const shown = deliveries.slice(0, MAX_NODES - 1 - found.length);
  return {
    byCause: groupBy([...shown, ...found], ({ causeId }) => causeId),
    isComplete: isComplete && shown.length === deliveries.length,
  };
}

/** What caused a message, an event or a run, and what followed from it. */
export async function traceCauses(db: TenantDatabase, id: string, principal: Principal): Promise<Trace> {
  if (!isUuid(id)) throw new ApiError('event_not_found');
  return db.search(async (reader) => {
    const asked =
      (await findEvent(reader, id)) ?? (await findMessage(reader, id)) ?? (await findRun(reader, id));
    if (!asked || !isVisible(principal, asked)) throw new ApiError('event_not_found');
    const causes = await findCauses(reader, asked, principal);
    const { byCause, isComplete } = await findAllFollowing(reader, asked, principal);
    const nodes: TraceNode[] = [];
    const add = ({ node }: Found, causedById: string | null, depth: number): void => {
      nodes.push({ ...node, causedById, depth });
      for (const child of byCause.get(node.id) ?? []) add(child, node.id, depth + 1);
    };
    for (const [depth, cause] of causes.entries())
      nodes.push({ ...cause.node, causedById: causes[depth - 1]?.node.id ?? null, depth });
    add(asked, causes.at(-1)?.node.id ?? null, causes.length);
    return { id: asked.node.id, nodes, isComplete };
  });
}
