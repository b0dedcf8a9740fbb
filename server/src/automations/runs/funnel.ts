import { type Static, Type } from 'typebox';
import { invalidParam } from '../../base/errors.ts';
import { statement } from '../../db/statement.ts';
import type { TenantDatabase } from '../../db/tenant.ts';
import type { Principal } from '../../http/permissions.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '../../http/schema.ts';
import { stepTypes } from '../definition/steps.ts';
import { exampleAutomation } from '../example.ts';
import type { Definition } from '../schema.ts';
import { requireAutomationId } from '../versions.ts';
import { inVisibleChannels } from './run.ts';

export const FunnelBody = Type.Object({
  versionId: Type.Optional(Uuid('Only runs of this version')),
  from: Type.Optional(Timestamp('Only runs that were created at or after this time')),
  to: Type.Optional(Timestamp('Only runs that were created before this time')),
});
type FunnelBody = Static<typeof FunnelBody>;

const count = (description: string) => Type.Integer({ description });

export const Funnel = Type.Object(
  {
    automationId: Uuid(),
    versionId: Nullable(Uuid()),
    from: Nullable(Timestamp()),
    to: Nullable(Timestamp()),
    runs: count('How many runs there are'),
    isComplete: Type.Boolean({ description: 'False if there are more than 100,000: then the latest count' }),
    steps: Type.Array(
      Type.Object({
        step: Type.String({ description: 'The id of the step' }),
        type: OneOf(stepTypes),
        entered: count('How many runs came to the step'),
        left: count('How many completed it and went on'),
        waiting: count('How many wait in it, or execute it at the moment'),
        failed: count('How many failed in it'),
        ended: count('How many ended with it: they were completed or cancelled'),
      }),
      { description: 'In the order of the version, or of the latest one; steps of other versions follow' },
    ),
  },
  { title: 'AutomationFunnel' },
);
export type Funnel = Static<typeof Funnel>;

export const exampleFunnel: Funnel = {
  automationId: exampleAutomation.id,
  versionId: null,
  from: '2026-11-01T00:00:00.000Z',
  to: null,
  runs: 120,
  isComplete: true,
  steps: [
    { step: 'hello', type: 'send_message', entered: 120, left: 118, waiting: 0, failed: 2, ended: 0 },
    { step: 'choose', type: 'branch', entered: 118, left: 118, waiting: 0, failed: 0, ended: 0 },
    { step: 'done', type: 'end', entered: 118, left: 0, waiting: 0, failed: 0, ended: 118 },
  ],
};

const MAX_RUNS = 100_000;

interface StepCounts {
  runs: number;
  step: string | null;
  type: Funnel['steps'][number]['type'];
  entered: number;
  left: number;
  waiting: number;
  failed: number;
  ended: number;
}

const countSteps = statement<
  [
    automationId: string,
    versionId: string | null,
    from: Date | null,
    to: Date | null,
    channelIds: string[] | null,
    limit: number,
  ],
  StepCounts
>(
  'automation_runs.funnel',
  // A run may come to a step several times, and counts once. Where a run is, its last entry says.
  `with chosen as materialized (
     select r.id, r.status from visible_automation_runs r
      where r.automation_id = $1 and (r.tenant_id = $tenant) is true
        and ($2::uuid is null or r.version_id = $2)
        and ($3::timestamptz is null or r.created_at >= $3) and ($4::timestamptz is null or r.created_at < $4)
        and ($5::uuid[] is null or ${inVisibleChannels('$5::uuid[]')})
      order by r.created_at desc, r.id desc limit $6),
   entered as (
     select c.id, c.status, t.step, max(t.type) as type, max(t.number) as number, bool_or(t.status = 'completed') as has_left
       from chosen c join run_trace t on t.run_id = c.id group by c.id, c.status, t.step),
   placed as (select e.*, e.number = max(e.number) over (partition by e.id) as is_last from entered e),
   total as (select count(*)::int as runs from chosen)
   select t.runs, p.step, max(p.type) as type, count(p.id)::int as entered,
          count(*) filter (where p.has_left and not (p.is_last and p.status in ('completed', 'cancelled')))::int as left,
          count(*) filter (where p.is_last and p.status in ('running', 'waiting'))::int as waiting,
          count(*) filter (where p.is_last and p.status = 'failed')::int as failed,
          count(*) filter (where p.is_last and p.status in ('completed', 'cancelled'))::int as ended
     from total t left join placed p on true group by t.runs, p.step`,
);
const stepsOfVersion = statement<
  [automationId: string, versionId: string | null],
  { steps: Definition['steps'] }
>(
  'automation_versions.steps',
  `select v.definition -> 'steps' as steps from automations a
     join automation_versions v on v.id = coalesce($2, a.latest_version_id) and v.automation_id = a.id and v.tenant_id = a.tenant_id
    where a.id = $1 and a.tenant_id = $tenant`,
);

const timeOf = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));

/** Counts how far the runs of an automation have come. */
export async function countFunnel(
  db: TenantDatabase,
  automationId: string,
  { versionId, from, to }: FunnelBody,
  { channelIds }: Principal,
): Promise<Funnel> {
  return db.search(async (lookups) => {
    await requireAutomationId(lookups, automationId);
    const version = await lookups.find(stepsOfVersion, [automationId, versionId ?? null]);
    if (!version) throw invalidParam('versionId', 'custom', `The automation has no version ${versionId}`);
    const rows = await lookups.all(countSteps, [
      automationId,
      versionId ?? null,
      timeOf(from),
      timeOf(to),
      channelIds ? [...channelIds] : null,
      MAX_RUNS + 1,
    ]);
    const counted = new Map(rows.map((row) => [row.step, row]));
    const runs = rows[0]?.runs ?? 0;
    const steps = version.steps.map(({ id, type }) => ({ step: id, type }));
    const ids = new Set(steps.map(({ step }) => step));
    const others = rows.flatMap(({ step, type }) => (step === null || ids.has(step) ? [] : [{ step, type }]));
    return {
      automationId,
      versionId: versionId ?? null,
      from: timeOf(from)?.toISOString() ?? null,
      to: timeOf(to)?.toISOString() ?? null,
      runs: Math.min(runs, MAX_RUNS),
      isComplete: runs <= MAX_RUNS,
      steps: [...steps, ...others.toSorted((a, b) => (a.step < b.step ? -1 : 1))].map(({ step, type }) => {
        const { entered = 0, left = 0, waiting = 0, failed = 0, ended = 0 } = counted.get(step) ?? {};
        return { step, type, entered, left, waiting, failed, ended };
      }),
    };
  });
}
