import { setTimeout as delay } from 'node:timers/promises';
import { Duration } from 'luxon';
import { ApiError, invalidParam } from '../../base/errors.ts';
import { fairPlaces } from '../../base/fair-places.ts';
import { isUuid } from '../../base/ids.ts';
import { collectIssues, type Issues } from '../../base/issues.ts';
import { isLockTimeout } from '../../db/errors.ts';
import { simulate } from '../../db/simulate.ts';
import { statement } from '../../db/statement.ts';
import type { TenantDatabase, TenantReader, TenantTx } from '../../db/tenant.ts';
import { hasScope, lacksScope, type Principal, readerOf, type Scope } from '../../http/permissions.ts';
import type { TaskPool } from '../../sandboxed/task-pool.ts';
import { simulateTurns } from '../../users/turns.ts';
import { findDefinitionIssues } from '../definition/validate.ts';
import { requireVisible } from '../require-visible.ts';
import { createPrograms, evaluateInThread, type PendingEvaluation } from '../runs/advance.ts';
import type { SendDeps } from '../runs/send.ts';
import type { EffectResult } from '../runs/state.ts';
import type { Definition } from '../schema.ts';
import { fillVariables } from '../triggers/api.ts';
import type { DryRun, DryRunBody } from './schema.ts';
import { type Simulation, simulateRun } from './simulate.ts';

export interface DryRunDeps extends SendDeps {
  tasks: TaskPool;
}

/** A dry run holds a connection and the locks of its contact, so that few of them run at the same time. */
const PLACES = 4;
const PLACES_PER_TENANT = 2;
const MAX_WAITING = 20;
const MAX_WAIT_MS = 5_000;
const LOCK_TIMEOUT_MS = 1_000;
/** How long a dry run waits for worker threads while it holds its locks. Then it begins again with what it knows. */
const MAX_HELD_MS = 250;
const MAX_TOTAL_MS = 5_000;
const YEAR_MS = 366 * 24 * 3600_000;

/** A dry run shows all of these. */
const SHOWN: readonly Scope[] = ['contacts:read', 'chats:read', 'messages:read'];

const versionOf = statement<
  [automationId: string, versionId: string | null],
  { id: string | null; definition: Definition | null }
>(
  'dry_run.version',
  `select v.id, v.definition from automations a
     left join automation_versions v
       on v.id = coalesce($2, a.latest_version_id) and v.automation_id = a.id and v.tenant_id = a.tenant_id
    where a.id = $1 and a.tenant_id = $tenant`,
);

/** Ends the transaction, because a text takes long to evaluate. */
class Postponed {
  readonly evaluation: Promise<EffectResult>;
  constructor(evaluation: Promise<EffectResult>) {
    this.evaluation = evaluation;
  }
}

function validateTimes({ at, replies = [] }: DryRunBody, now: Date, issues: Issues): void {
  if (at !== undefined && Math.abs(new Date(at).getTime() - now.getTime()) > YEAR_MS)
    issues.add('at', 'custom', 'Must be at most a year away');
  for (const [index, { after }] of replies.entries()) {
    const length = after === undefined ? undefined : Duration.fromISO(after);
    if (!length) continue;
    if (!length.isValid)
      issues.add(`replies.${index}.after`, 'invalid_string', 'Must be an ISO 8601 duration, such as PT10M');
    else if (!(length.toMillis() >= 0 && length.toMillis() <= YEAR_MS))
      issues.add(`replies.${index}.after`, 'custom', 'Must not be negative, and at most a year');
  }
}

/** The version or the given definition. What it uses, the caller must be able to read. */
async function requireDefinition(
  db: TenantReader,
  automationId: string,
  { versionId, definition }: DryRunBody,
  principal: Principal,
  { policy }: Pick<SendDeps, 'policy'>,
): Promise<{ versionId: string | null; definition: Definition }> {
  if (versionId !== undefined && definition !== undefined)
    throw invalidParam('definition', 'custom', 'Only one of versionId and definition is allowed');
  const version = isUuid(automationId)
    ? await db.find(versionOf, [automationId, versionId ?? null])
    : undefined;
  if (!version) throw new ApiError('automation_not_found');
  if (definition) {
    const issues = collectIssues();
    const given = { ...definition, variables: definition.variables ?? [] };
    const deps = { policy, canRead: readerOf(principal) };
    const valid = await findDefinitionIssues(db, given, deps, issues.at('definition'));
    issues.throwIfAny();
    return { versionId: null, definition: valid };
  }
  if (version.id === null || version.definition === null)
    throw invalidParam('versionId', 'custom', `The automation has no version ${versionId}`);
  return { versionId: version.id, definition: version.definition };
}

/** Waits for no lock longer than a second. */
async function simulateOnce(
  db: TenantDatabase,
  work: (tx: TenantTx) => Promise<DryRun>,
): Promise<DryRun | Postponed> {
  try {
    return await simulate(db, async (tx) => {
      await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`, []);
      return work(tx);
    });
  } catch (error) {
    if (error instanceof Postponed) return error;
    if (isLockTimeout(error))
      throw new ApiError('conflict', { detail: 'the contact is being changed at the moment; try again' });
    throw error;
  }
}

/**
 * Returns what a run would do. It is executed by the functions that execute every run, in a transaction that is rolled back.
 * Texts that take long are evaluated outside of it; then it begins again with their results.
 */
async function simulateInTime(
  db: TenantDatabase,
  simulation: Simulation,
  { tasks, ...deps }: DryRunDeps,
): Promise<DryRun> {
  const startedAt = performance.now();
  const isTooSlow = (): boolean => performance.now() - startedAt > MAX_TOTAL_MS;
  /** The results in the order in which they are needed. */
  const known: EffectResult[] = [];
  for (;;) {
    const outcome = await simulateOnce(db, (tx) => {
      let next = 0;
      let heldMs = MAX_HELD_MS;
      const evaluate = async (pending: PendingEvaluation): Promise<EffectResult | undefined> => {
        const earlier = known[next++];
        if (earlier) return earlier;
        if (isTooSlow()) return undefined;
        const begunAt = performance.now();
        const evaluation = evaluateInThread({ tasks }, tx.tenantId, pending);
        const result = await Promise.race([evaluation, delay(heldMs, undefined, { ref: false })]);
        heldMs -= performance.now() - begunAt;
        if (!result) throw new Postponed(evaluation);
        known.push(result);
        return result;
      };
      return simulateRun(tx, simulation, {
        ...deps,
        programs: createPrograms(),
        turns: simulateTurns(),
        evaluate,
        isTooSlow,
      });
    });
    if (!(outcome instanceof Postponed)) return outcome;
    known.push(await outcome.evaluation);
  }
}

export type DryRunner = (
  db: TenantDatabase,
  automationId: string,
  body: DryRunBody,
  principal: Principal,
) => Promise<DryRun>;

export function createDryRunner(deps: DryRunDeps): DryRunner {
  const places = fairPlaces({
    places: PLACES,
    perKey: PLACES_PER_TENANT,
    maxWaitMs: MAX_WAIT_MS,
    maxWaiting: MAX_WAITING,
    refuse: () =>
      new ApiError('service_unavailable', { detail: 'too many dry runs at the same time; try again' }),
  });
  return async (db, automationId, body, principal) => {
    const missing = SHOWN.find((scope) => !hasScope(principal, scope));
    if (missing !== undefined) throw invalidParam('contactId', 'custom', lacksScope(missing));
    const { versionId, definition } = await requireDefinition(db, automationId, body, principal, deps);
    await requireVisible(db, principal, definition);
    const issues = collectIssues();
    validateTimes(body, db.now, issues);
    const variables = fillVariables(definition.variables, body.variables ?? {}, issues);
    issues.throwIfAny();
    const simulation: Simulation = {
      ...body,
      automationId,
      versionId,
      definition,
      variables,
      at: body.at === undefined ? undefined : new Date(body.at),
      visibleIds: principal.channelIds,
    };
    return places.run(db.tenantId, () => simulateInTime(db, simulation, deps));
  };
}
