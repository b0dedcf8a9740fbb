import { newId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { AT_ONCE, shardOf } from '../../engine/queue.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import type { Scalar } from '../schema.ts';
import { freshState, type Issue } from './interpreter.ts';
import { RUNS_LIST } from './run.ts';

/** Runs of one occurrence: of a campaign, or of an automation's own schedule. */
export interface Occurrence {
  automationId: string;
  versionId: string;
  campaignId: string | null;
  occurrenceAt: Date;
  variables: Record<string, Scalar>;
  /** The template in the place of the first that a run would send. */
  templateId: string | null;
  /** Why they cannot begin, if so: then they are recorded as failed. */
  issue: Issue | null;
}

interface Started {
  id: string;
  contact_id: string;
}

const insertRuns = statement<
  [
    tenantId: string,
    automationId: string,
    versionId: string,
    campaignId: string | null,
    occurrenceAt: Date,
    state: string,
    error: string | null,
    shard: number,
    now: Date,
    ids: string[],
    contactIds: string[],
  ],
  Started
>(
  'automation_runs.insert_many',
  // A contact has one run an occurrence, whatever happens in between. Those that are gone meanwhile are left out;
  // whose they are, the foreign key says.
  `with made as (
     insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, campaign_id, occurrence_at, status,
                                  state, error, shard, scheduled_at, due_at, ended_at, created_at, updated_at)
     select n.id, $1, $2, $3, c.id, $4, $5, case when $7::jsonb is null then 'scheduled' else 'failed' end,
            $6::jsonb || jsonb_build_object('after', n.id), $7::jsonb, $8, $9::timestamptz,
            case when $7::jsonb is null then ${AT_ONCE}::timestamptz end, case when $7::jsonb is not null then $9::timestamptz end,
            $9::timestamptz, $9::timestamptz
       from unnest($10::uuid[], $11::uuid[]) with ordinality as n (id, contact_id, number)
       join contacts c on c.id = n.contact_id
      order by n.number
     on conflict do nothing returning id, contact_id)
   select id, contact_id from made
    union all
   select r.id, r.contact_id from automation_runs r
    where r.campaign_id = $4 and r.occurrence_at = $5 and r.contact_id = any ($11::uuid[])`,
);

/** Starts a run for each of the contacts, once an occurrence, and gives the runs that they have in a campaign's. */
export async function startMany(
  tx: Tx,
  tenantId: string,
  occurrence: Occurrence,
  contactIds: string[],
  { wakeUps, now }: { wakeUps: WakeUps; now: Date },
): Promise<Started[]> {
  if (contactIds.length === 0) return [];
  const { automationId, versionId, campaignId, occurrenceAt, variables, templateId, issue } = occurrence;
  const shard = shardOf(automationId, tenantId);
  const { after: _, ...state } = freshState('', variables);
  const runs = await tx.all(insertRuns, [
    tenantId,
    automationId,
    versionId,
    campaignId,
    occurrenceAt,
    JSON.stringify({ ...state, templateId }),
    issue === null ? null : JSON.stringify(issue),
    shard,
    now,
    contactIds.map(() => newId()),
    contactIds,
  ]);
  tx.afterCommit(() => wakeUps.give(RUNS_LIST, shard, automationId));
  return runs;
}
