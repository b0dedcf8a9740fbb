import { attributesOf } from '../attributes/find-attributes.ts';
import { isInUse } from '../automations/versions-in-use.ts';
import { invalidParam } from '../base/errors.ts';
import { contactSearchable, withSegments } from '../contacts/search.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { parseRowFilter } from '../search/grammar/filter.ts';
import { ExpressionError } from '../search/grammar/tokens.ts';

interface NamingFilter {
  kind: 'segment' | 'campaign' | 'automation';
  name: string;
  filter: string;
}

const filtersNaming = statement<[segmentId: string], NamingFilter>(
  'segments.filters_naming',
  // Filters keep ids as they were written, in upper or lower case.
  `with recursive named (id, name, query) as (
     select s.id, s.name, s.query from segments s where s.id = $1 and s.tenant_id = $tenant
     union
     select s.id, s.name, s.query from named n
       join segments s on s.tenant_id = $tenant and s.query ~* n.id::text)
   select 'segment' as kind, name, query as filter from named where id <> $1
   union all
   select 'campaign', c.name, c.audience from visible_campaigns c
    where c.tenant_id = $tenant and c.status in ('scheduled', 'running', 'paused')
      and exists (select 1 from named n where c.audience ~* n.id::text)
   union all
   select 'automation', a.name, v.definition #>> '{trigger,parameters,audience}'
     from automations a join automation_versions v on v.automation_id = a.id and v.tenant_id = a.tenant_id
    where a.tenant_id = $tenant and case when ${isInUse('a', 'v')}
      then exists (select 1 from named n where v.definition #>> '{trigger,parameters,audience}' ~* n.id::text) else false end`,
);

/**
 * Refuses a new filter of a segment with which a filter that names the segment would have too many levels, segments or conditions. One
 * that is not valid anyway keeps nobody from changing the segment.
 */
export async function requireUsable(
  tx: TenantTx,
  segment: { id: string; query: string },
  query: string,
): Promise<void> {
  const naming = await tx.all(filtersNaming, [segment.id]);
  if (naming.length === 0) return;
  const contacts = contactSearchable(tx.tenantId, await attributesOf(tx));
  const findIssue = async (filter: string, own: string): Promise<string | undefined> => {
    try {
      parseRowFilter(filter, await withSegments(tx, contacts, filter, new Map([[segment.id, own]])), tx.now);
      return undefined;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return error.message;
    }
  };
  for (const { kind, name, filter } of naming) {
    const issue = await findIssue(filter, query);
    if (issue === undefined || (await findIssue(filter, segment.query)) !== undefined) continue;
    throw invalidParam('query', 'custom', `The ${kind} "${name}" would no longer be valid: ${issue}`);
  }
}
