import { type Cache, createCache } from '../../base/cache.ts';
import type { Keys } from '../../base/crypto.ts';
import { isServerTrouble } from '../../db/errors.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Opening } from '../../hours/opening.ts';
import type { TenantHours } from '../../hours/tenant-hours.ts';
import type { TaskPool } from '../../sandboxed/task-pool.ts';
import { storedTurns } from '../../users/turns.ts';
import type { Definition } from '../schema.ts';
import { readSecrets } from '../secrets/secret.ts';
import { mergeContext, type RunContext } from './context.ts';
import { type ActiveRun, performEffects, type RequestedEffect } from './effects.ts';
import { type EvaluateInput, evaluateTask } from './evaluate-task.ts';
import { interpret } from './interpreter.ts';
import { type LoadDeps, type LoadedRun, loadRuns, lockRuns, type StoredPlace } from './load-runs.ts';
import { compileProgram, type Program } from './program.ts';
import { sealCall } from './seal-call.ts';
import type { SendDeps } from './send.ts';
import {
  type Effect,
  type EffectResult,
  freshState,
  type RunError,
  type RunState,
  type StepBatch,
} from './state.ts';
import { type Advanced, storeStepBatches } from './store.ts';

const definitions = statement<[ids: string[]], { id: string; definition: Definition }>(
  'automation_versions.definitions',
  'select id, definition from automation_versions where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const MAX_PROGRAMS = 1_000;

/** Programs by version id. Versions never change. */
export type Programs = Cache<string, Program>;
export const createPrograms = (): Programs => createCache(MAX_PROGRAMS);

/** What executing steps needs. */
export interface AdvanceDeps extends SendDeps, LoadDeps {
  programs: Programs;
}

/** Texts that are evaluated after the step batch before their step is committed. */
export interface PendingEvaluation {
  runId: string;
  input: EvaluateInput;
}

async function findPrograms(
  tx: TenantTx,
  versionIds: string[],
  programs: Programs,
): Promise<Map<string, Program>> {
  const missing = [...new Set(versionIds)].filter((id) => !programs.has(id));
  if (missing.length > 0)
    for (const { id, definition } of await tx.all(definitions, [missing]))
      programs.set(id, compileProgram(definition));
  return new Map(versionIds.map((id) => [id, programs.get(id) as Program]));
}

/** The business hours of the channel in which a run is. */
const openingFor =
  ({ channelId }: ActiveRun, hours: TenantHours) =>
  ({ chat }: RunContext): Opening =>
    hours.openingOf(chat?.channelId ?? channelId);

/** No secret is stored as it is. */
function withSealedCall(stepBatch: StepBatch, keys: Keys): StepBatch {
  const { pending } = stepBatch.state;
  if (!pending?.call || 'sealed' in pending.call) return stepBatch;
  const call = sealCall(pending.call, keys);
  return { ...stepBatch, state: { ...stepBatch.state, pending: { ...pending, call } } };
}

/** A run that is locked, where it is, and everything that its steps need. */
export interface PreparedRun extends LoadedRun {
  at: { step: string | null; state: RunState };
  secrets: Readonly<Record<string, string>>;
}

/** Where a stored run is. */
export const placeOf = ({ id, step, state }: StoredPlace): PreparedRun['at'] => {
  const { variables = {}, ...others } = state;
  return { step, state: { ...freshState(id, variables), ...others } };
};

/** Locks runs that are due, and loads what their steps need. */
export async function prepareRuns(tx: TenantTx, ids: string[], deps: AdvanceDeps): Promise<PreparedRun[]> {
  const runs = await tx.all(lockRuns, [ids, tx.now]);
  if (runs.length === 0) return [];
  const versionIds = runs.map((run) => run.version_id);
  const programs = await findPrograms(tx, versionIds, deps.programs);
  const secrets = [...programs.values()].some(({ usesSecrets }) => usesSecrets)
    ? await readSecrets(tx, deps.keys)
    : {};
  // All of them in the order of ids, before any run takes a turn.
  const teamIds = new Set([...programs.values()].flatMap(({ turnTeamIds }) => turnTeamIds));
  await (deps.turns ?? storedTurns).lock(tx, [...teamIds]);
  return (await loadRuns(tx, runs, programs, deps)).map((loaded) => ({
    ...loaded,
    at: placeOf(loaded.run),
    secrets: loaded.program.usesSecrets ? secrets : {},
  }));
}

/** Gives a step its evaluated texts, or postpones it until they are there. */
type Evaluate = (pending: PendingEvaluation) => EffectResult | Promise<EffectResult>;

/** Executes one step batch of each run. Their contexts are as the database has them afterwards. */
export async function executeSteps(
  tx: TenantTx,
  prepared: readonly PreparedRun[],
  evaluate: Evaluate,
  deps: SendDeps,
): Promise<StepBatch[]> {
  const active = prepared.map(({ program, activeRun, at, secrets }) => {
    const opening = activeRun.hours && openingFor(activeRun, activeRun.hours);
    const steps: Generator<Effect, StepBatch, EffectResult> = interpret(
      program,
      at,
      activeRun.context,
      tx.now,
      secrets,
      opening,
    );
    return { activeRun, steps, turn: steps.next() };
  });
  for (;;) {
    for (const one of active)
      while (!one.turn.done && one.turn.value.kind === 'evaluate') {
        const { input } = one.turn.value;
        one.turn = one.steps.next(await evaluate({ runId: one.activeRun.runId, input }));
      }
    const requesting = active.filter(({ turn }) => !turn.done);
    if (requesting.length === 0) return active.map(({ turn }) => turn.value as StepBatch);
    const results = await performEffects(
      tx,
      requesting.map(({ activeRun, turn }) => ({
        activeRun,
        effect: turn.value as RequestedEffect['effect'],
      })),
      deps,
    );
    for (const [index, one] of requesting.entries()) {
      const result = results[index] as EffectResult;
      if (!result.failure) one.activeRun.context = mergeContext(one.activeRun.context, result.context);
      one.turn = one.steps.next(result);
    }
  }
}

/** The result of a step batch of a run, as it is stored. */
export const advancedOf = (
  { run, activeRun }: PreparedRun,
  stepBatch: StepBatch,
  { keys }: Pick<SendDeps, 'keys'>,
): Advanced => ({
  runId: run.id,
  revision: run.revision,
  chatId: activeRun.context.chat?.id ?? run.chat_id,
  wasScheduled: run.status === 'scheduled',
  stepBatch: withSealedCall(stepBatch, keys),
});

/** Executes one step batch of each run in one transaction. Returns the texts to evaluate after it. */
export async function advanceRuns(
  tx: TenantTx,
  ids: string[],
  known: ReadonlyMap<string, EffectResult>,
  deps: AdvanceDeps,
): Promise<PendingEvaluation[]> {
  const prepared = await prepareRuns(tx, ids, deps);
  const evaluations: PendingEvaluation[] = [];
  const evaluated = new Map(known);
  const evaluate: Evaluate = (pending) => {
    const result = evaluated.get(pending.runId);
    // Only the first step of the batch has waited for it.
    evaluated.delete(pending.runId);
    if (!result) evaluations.push(pending);
    return result ?? { isPostponed: true };
  };
  const stepBatches = await executeSteps(tx, prepared, evaluate, deps);
  const advanced = prepared.map((run, index) => advancedOf(run, stepBatches[index] as StepBatch, deps));
  const postponed = new Set(evaluations.map(({ runId }) => runId));
  // A run whose first step was postponed is as it was.
  await storeStepBatches(
    tx,
    advanced.filter(({ runId, stepBatch: { trace } }) => trace.length > 0 || !postponed.has(runId)),
  );
  return evaluations;
}

/** Evaluates texts in a worker thread. A text that takes too long or too much memory fails its run. */
export async function evaluateInThread(
  { tasks }: { tasks: TaskPool },
  tenantId: string,
  { input }: Pick<PendingEvaluation, 'input'>,
): Promise<EffectResult> {
  try {
    return { evaluated: await tasks.run(evaluateTask, input, tenantId) };
  } catch (error) {
    if (isServerTrouble(error)) throw error;
    return { failure: EVALUATION_FAILURES[input.kind]((error as Error).message) };
  }
}

const EVALUATION_FAILURES: Record<EvaluateInput['kind'], (reason: string) => RunError> = {
  texts: (reason) => ({ code: 'liquid_error', message: `The text could not be rendered: ${reason}` }),
  conditions: (reason) => ({
    code: 'condition_error',
    message: `The conditions could not be evaluated: ${reason}`,
  }),
};

/**
 * Executes the steps of runs up to where they wait, in one transaction: for a simulation, whose transaction is undone. Texts that
 * need a thread are evaluated meanwhile, which takes a second at most.
 */
export async function runStepsIn(
  tx: TenantTx,
  runIds: string[],
  deps: AdvanceDeps & { tasks: TaskPool },
): Promise<void> {
  let known = new Map<string, EffectResult>();
  for (let ids = runIds; ids.length > 0; ids = [...known.keys()]) {
    const pending = await advanceRuns(tx, ids, known, deps);
    known = new Map(
      await Promise.all(
        pending.map(async (one) => [one.runId, await evaluateInThread(deps, tx.tenantId, one)] as const),
      ),
    );
  }
}
