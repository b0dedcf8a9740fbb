import { attributesOf } from '../attributes/find-attributes.ts';
import { isInUse } from '../automations/versions-in-use.ts';
import { invalidParam } from '../base/errors.ts';
import { createTurns } from '../base/turns.ts';
import { contactSearchable } from '../contacts/search.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { namedSegments, parseRowFilter } from '../search/grammar/filter.ts';
import { ExpressionError } from '../search/grammar/tokens.ts';

/** A filter that names a segment, itself or by another one. Of several with the same filter one is enough. */
interface NamingFilter {
  kind: 'segment' | 'campaign' | 'automation';
  name: string;
  filter: string;
}

/** Each is parsed with its segments, which takes up to some milliseconds, while the filters of the tenant are locked. */
const MAX_FILTERS = 200;

const allSegments = statement<[], { id: string; name: string; query: string }>(
  'segments.all',
  'select id, name, query from segments where tenant_id = $tenant order by id',
);
/** SQL: whether a text has one of the ids in $1. Filters keep ids as they were written, in upper or lower case. */
const hasId = (text: string): string =>
  `exists (select 1 from regexp_matches(${text}, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'gi') as m (parts)
     where lower(m.parts[1]) = any ($1::text[]))`;
const filtersNaming = statement<[segmentIds: string[], limit: number], NamingFilter>(
  'segments.filters_naming',
  `select distinct on (n.filter) n.kind, n.name, n.filter from (
     select 'campaign' as kind, c.name, c.audience as filter from visible_campaigns c
      where c.tenant_id = $tenant and c.status in ('scheduled', 'running', 'paused') and ${hasId('c.audience')}
     union all
     select 'automation', a.name, v.definition #>> '{trigger,parameters,audience}'
       from automations a join automation_versions v on v.automation_id = a.id and v.tenant_id = a.tenant_id
      where a.tenant_id = $tenant
        and case when ${isInUse('a', 'v')} then ${hasId(`(v.definition #>> '{trigger,parameters,audience}')`)} else false end) n
    order by n.filter limit $2`,
);

/** The segments that name one, themselves or by each other. */
function findNamingSegments<S extends { id: string; query: string }>(
  segments: readonly S[],
  segmentId: string,
): S[] {
  const namedBy = new Map<string, S[]>();
  for (const segment of segments)
    for (const id of new Set(namedSegments(segment.query))) {
      const naming = namedBy.get(id);
      if (naming) naming.push(segment);
      else namedBy.set(id, [segment]);
    }
  const found = new Map<string, S>();
  const ids = [segmentId];
  for (const id of ids)
    for (const segment of namedBy.get(id) ?? [])
      if (segment.id !== segmentId && !found.has(segment.id)) {
        found.set(segment.id, segment);
        ids.push(segment.id);
      }
  return [...found.values()];
}

/**
 * Refuses a new filter of a segment with which a filter that names the segment would have too many levels, segments or conditions. One
 * that is not valid anyway keeps nobody from changing the segment.
 */
export async function requireUsable(
  tx: TenantTx,
  segment: { id: string; query: string },
  query: string,
): Promise<void> {
  const segments = await tx.all(allSegments, []);
  const naming = findNamingSegments(segments, segment.id);
  const ids = [segment.id, ...naming.map(({ id }) => id)];
  const filters = new Map<string, NamingFilter>(
    [
      ...(await tx.all(filtersNaming, [ids, MAX_FILTERS + 1])),
      ...naming.map((one) => ({ kind: 'segment' as const, name: one.name, filter: one.query })),
    ].map((one) => [one.filter, one]),
  );
  if (filters.size === 0) return;
  if (filters.size > MAX_FILTERS)
    throw invalidParam(
      'query',
      'custom',
      `More than ${MAX_FILTERS} filters name this segment, so it cannot be changed: create another segment`,
    );
  const contacts = contactSearchable(tx.tenantId, await attributesOf(tx));
  const queries = new Map(segments.map((one) => [one.id, one.query]));
  const findIssue = (filter: string, own: string): string | undefined => {
    try {
      const segmentFilter = (id: string) => (id === segment.id ? own : queries.get(id));
      parseRowFilter(filter, { ...contacts, segmentFilter }, tx.now);
      return undefined;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return error.message;
    }
  };
  const turn = createTurns();
  for (const { kind, name, filter } of filters.values()) {
    await turn();
    const issue = findIssue(filter, query);
    if (issue === undefined || findIssue(filter, segment.query) !== undefined) continue;
    throw invalidParam('query', 'custom', `The ${kind} "${name}" would no longer be valid: ${issue}`);
  }
}
