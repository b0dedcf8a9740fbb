import { ApiError } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import type { TenantDatabase, TenantReader } from '../../db/tenant.ts';
import { hasScope, type Principal } from '../../http/permissions.ts';
import type { Followed, Found } from './nodes.ts';
import { type Asked, findAsked, findEvent, findFollowing, findMessage, findRun } from './read-nodes.ts';
import type { Trace, TraceNode } from './schema.ts';

const MAX_CAUSES = 30;
const MAX_DEPTH = 6;
const MAX_NODES = 200;

/** Events of runs have no channel, whatever chat they are about, and neither have runs without a chat. */
function isVisible({ channelIds }: Principal, { node, channelId }: Found): boolean {
  if (channelIds === undefined) return true;
  if (channelId !== null) return channelIds.has(channelId);
  return !(node.type === 'event' && /^(?:automation|job)\./.test(node.summary));
}

/** Without what a message says, and where a webhook leads, unless the caller may read that. */
function withoutHidden<N extends Found['node']>(principal: Principal, node: N): N {
  if (node.type === 'delivery' && !hasScope(principal, 'webhooks:read'))
    return { ...node, summary: 'webhook', webhookId: null };
  if (hasScope(principal, 'messages:read')) return node;
  if (node.type === 'vendor_request') return { ...node, error: null };
  if (node.type !== 'message') return node;
  const [summary = ''] = node.summary.split(':', 1);
  return { ...node, summary, text: null, vendorId: null, error: null };
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

const isDelivery = ({ node }: Found): boolean => node.type === 'delivery';

/** Everything that followed from something, by the id of its cause, as far as the caller sees it. Nothing is shown twice. */
async function findAllFollowing(
  db: TenantReader,
  asked: Asked,
  causes: readonly Found[],
  principal: Principal,
): Promise<{ byCause: ReadonlyMap<string, Followed[]>; isComplete: boolean }> {
  const found: Followed[] = [];
  const deliveries: Followed[] = [];
  const seen = new Set([...causes, asked.found].map(({ node }) => node.id));
  const isNew = ({ node }: Found): boolean => !seen.has(node.id) && seen.add(node.id) !== undefined;
  const seesDeliveries = hasScope(principal, 'webhooks:read');
  let isComplete = true;
  let level: Found[] = [asked.found];
  for (let depth = 0; level.length > 0; depth += 1) {
    const all = await findFollowing(db, level, MAX_NODES + 1);
    const following = [...(depth === 0 ? asked.following : []), ...all].filter(
      (one) => isVisible(principal, one) && (seesDeliveries || !isDelivery(one)) && isNew(one),
    );
    if (depth === MAX_DEPTH) {
      if (following.length > 0) isComplete = false;
      break;
    }
    deliveries.push(...following.filter(isDelivery));
    const further = following.filter((one) => !isDelivery(one));
    const shown = further.slice(0, MAX_NODES - 1 - found.length);
    if (shown.length < further.length) isComplete = false;
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

/** What caused a message, an event, a run, a delivery or a vendor's request, and what followed from it. */
export async function traceCauses(db: TenantDatabase, id: string, principal: Principal): Promise<Trace> {
  return db.search(async (reader) => {
    const asked = await findAsked(reader, id, (found) => isVisible(principal, found));
    if (!asked) throw new ApiError('event_not_found');
    const causes = await findCauses(reader, asked.found, principal);
    // A delivery is in the channel of its event.
    if (isDelivery(asked.found) && causes.length === 0) throw new ApiError('event_not_found');
    const { byCause, isComplete } = await findAllFollowing(reader, asked, causes, principal);
    const nodes: TraceNode[] = [];
    const add = ({ node }: Found, causedBy: string | null, depth: number): void => {
      nodes.push({ ...withoutHidden(principal, node), causedBy, depth });
      for (const child of byCause.get(node.id) ?? []) add(child, node.id, depth + 1);
    };
    for (const [depth, { node }] of causes.entries())
      nodes.push({ ...withoutHidden(principal, node), causedBy: causes[depth - 1]?.node.id ?? null, depth });
    add(asked.found, causes.at(-1)?.node.id ?? null, causes.length);
    return { root: (causes[0] ?? asked.found).node.id, nodes, isComplete };
  });
}
