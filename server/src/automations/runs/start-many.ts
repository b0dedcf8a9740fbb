import { newId } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { DUE_NOW, shardOf } from '../../engine/queue.ts';
import type { TemplateFile } from '../../messages/content-schema.ts';
import { runsQueue } from '../queues.ts';
import type { Scalar } from '../schema.ts';
import { freshState, type RunError } from './state.ts';

/** An occurrence of a campaign or of an automation's schedule. */
export interface Occurrence {
  automationId: string;
  versionId: string;
  campaignId: string | null;
  occurrenceAt: Date;
  variables: Record<string, Scalar>;
  /** Replaces the template of the first `send_template` step. */
  templateId: string | null;
  /** The file of its header. */
  templateHeader?: TemplateFile | null;
  /** The chat in which it begins, if it has one contact. */
  chatId?: string | null;
  /** Why the runs cannot start. They are then stored as failed. */
  error: RunError | null;
}

interface StartedRun {
  id: string;
  contact_id: string;
}

const insertRuns = statement<
  [
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
    chatId: string | null,
  ],
  StartedRun
>(
  'automation_runs.insert_many',
  // A contact has one run per occurrence, even if the call is repeated. Deleted contacts are left out. The locks wait for
  // contacts that are being erased or merged: the foreign key would fail for those.
  `with held as materialized (
     select id from visible_contacts where id = any ($10::uuid[]) and tenant_id = $tenant order by id for key share),
   inserted as (
     insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, chat_id, campaign_id, occurrence_at, status,
                                  state, error, shard, scheduled_at, due_at, ended_at, created_at, updated_at)
     select n.id, $tenant, $1, $2, c.id, $11::uuid, $3, $4, case when $6::jsonb is null then 'scheduled' else 'failed' end,
            $5::jsonb || jsonb_build_object('after', n.id), $6::jsonb, $7, $8::timestamptz,
            case when $6::jsonb is null then ${DUE_NOW}::timestamptz end, case when $6::jsonb is not null then $8::timestamptz end,
            $8::timestamptz, $8::timestamptz
       from unnest($9::uuid[], $10::uuid[]) with ordinality as n (id, contact_id, number)
       join held c on c.id = n.contact_id
      order by n.number
     on conflict do nothing returning id, contact_id)
   select id, contact_id from inserted
    union all
   select r.id, r.contact_id from visible_automation_runs r
    where r.campaign_id = $3 and r.occurrence_at = $4 and r.contact_id = any ($10::uuid[])`,
);

/** Starts one run per contact and occurrence. For a campaign it also returns the runs that already existed. */
export async function startMany(
  tx: TenantTx,
  occurrence: Occurrence,
  contactIds: string[],
): Promise<StartedRun[]> {
  if (contactIds.length === 0) return [];
  const {
    automationId,
    versionId,
    campaignId,
    occurrenceAt,
    variables,
    templateId,
    templateHeader = null,
    chatId = null,
    error,
  } = occurrence;
  const { after: _, ...state } = freshState('', variables);
  const runs = await tx.all(insertRuns, [
    automationId,
    versionId,
    campaignId,
    occurrenceAt,
    JSON.stringify({ ...state, templateId, ...(templateHeader ? { templateHeader } : {}) }),
    error === null ? null : JSON.stringify(error),
    shardOf(automationId, tx.tenantId),
    tx.now,
    contactIds.map(() => newId()),
    contactIds,
    chatId,
  ]);
  tx.wake(runsQueue, automationId);
  return runs;
}
