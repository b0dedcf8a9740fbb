import { attributesOf as attributesOfTenant } from '../../attributes/find-attributes.ts';
import { type Cache, createCache } from '../../base/cache.ts';
import type { Keys } from '../../base/crypto.ts';
import { isUnavailable } from '../../base/errors.ts';
import { findChats } from '../../chats/chat.ts';
import type { Purpose } from '../../contacts/consent/schema.ts';
import { unsubscribeUrl } from '../../contacts/consent/unsubscribe-link.ts';
import { findContacts } from '../../contacts/contact.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Opening } from '../../hours/opening.ts';
import { holdTenantHours, type TenantHours } from '../../hours/tenant-hours.ts';
import { findMessages } from '../../messages/message.ts';
import type { TaskPool } from '../../sandboxed/task-pool.ts';
import { storedTurns, type Turns } from '../../users/turns.ts';
import type { Definition } from '../schema.ts';
import { readSecrets } from '../secrets/secret.ts';
import { attributesOf, type RunContext } from './context.ts';
import { type ActiveRun, performEffects, type RequestedEffect } from './effects.ts';
import { type EvaluateInput, evaluateTask } from './evaluate-task.ts';
import { interpret } from './interpreter.ts';
import { compileProgram, type Program } from './program.ts';
import { cancelRunsOfChats } from './run.ts';
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

interface LockedRun {
  id: string;
  version_id: string;
  contact_id: string;
  chat_id: string | null;
  campaign_id: string | null;
  channel_id: string | null;
  campaign_name: string | null;
  campaign_purpose: Purpose | null;
  closes_chats: boolean | null;
  is_test: boolean | null;
  automation_id: string;
  automation_name: string;
  status: string;
  step: string | null;
  state: Partial<RunState>;
  revision: number;
}

const lockRuns = statement<[ids: string[], now: Date], LockedRun>(
  'automation_runs.lock',
  // Contacts, chats and runs are locked in the order that holds everywhere, before any step changes one of them. The
  // lock of the chat also decides whether a run that begins to wait for a reply sees a message that arrives now. A run
  // that was cancelled or advanced meanwhile is no longer due; one that somebody is changing is found by the next scan.
  `with due as materialized (
     select r.contact_id, r.chat_id from automation_runs r
      where r.id = any ($1::uuid[]) and r.tenant_id = $tenant and r.due_at <= $2),
   locked_contacts as materialized (
     select c.id from (select distinct contact_id from due) d
       join contacts c on c.id = d.contact_id and (c.tenant_id = $tenant) is true
      order by c.id for no key update of c),
   locked_chats as materialized (
     select k.id from (select distinct chat_id from due) d
       join chats k on k.id = d.chat_id and (k.tenant_id = $tenant) is true
      where (select count(*) from locked_contacts) >= 0
      order by k.id for no key update of k)
   select r.id, r.version_id, r.contact_id, r.chat_id, r.campaign_id, r.status, r.step, r.state, r.revision,
          campaign.channel_id, campaign.name as campaign_name,
          campaign.purpose as campaign_purpose, campaign.close_chats as closes_chats, campaign.is_test, r.automation_id, automation.name as automation_name
     from visible_automation_runs r
     join automations automation on automation.id = r.automation_id and (automation.tenant_id = r.tenant_id) is true
     left join campaigns campaign on campaign.id = r.campaign_id and (campaign.tenant_id = r.tenant_id) is true
    where r.id = any ($1::uuid[]) and r.tenant_id = $tenant and r.due_at <= $2
      and not r.is_calling and r.status in ('scheduled', 'running', 'waiting') and (select count(*) from locked_chats) >= 0
    order by r.id for no key update of r skip locked`,
);
const definitions = statement<[ids: string[]], { id: string; definition: Definition }>(
  'automation_versions.definitions',
  'select id, definition from automation_versions where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const MAX_PROGRAMS = 1_000;

/** Programs by version id. Versions never change. */
export type Programs = Cache<string, Program>;
export const createPrograms = (): Programs => createCache(MAX_PROGRAMS);

/** What executing steps needs. */
export interface AdvanceDeps extends SendDeps {
  programs: Programs;
  /** For samples of what would be sent. */
  ignoresQuietHours?: boolean;
  /** For simulations. */
  turns?: Turns;
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

const byId = <T extends { id: string }>(all: T[]): Map<string, T> => new Map(all.map((one) => [one.id, one]));

/** Loads everything that the texts and conditions of the runs can use. */
async function loadRuns(
  tx: TenantTx,
  runs: LockedRun[],
  programs: ReadonlyMap<string, Program>,
  { keys, baseUrl, ignoresQuietHours = false, turns = storedTurns }: AdvanceDeps,
) {
  const ids = (of: (run: LockedRun) => string | null | undefined): string[] => [
    ...new Set(runs.flatMap((run) => of(run) ?? [])),
  ];
  const contactIds = ids((run) => run.contact_id);
  const chatIds = ids((run) => run.chat_id);
  const messageIds = ids((run) => run.state.messageId);
  const contacts = byId(await findContacts(tx, contactIds));
  const chats = byId(await findChats(tx, chatIds));
  const messages = byId(await findMessages(tx, messageIds));
  const externalIds = (await attributesOfTenant(tx)).map((attribute) => attribute.external_id);
  // The chat of a run is hidden while its channel is being deleted, and the run ends with it.
  const hidden = chatIds.filter((id) => !chats.has(id));
  if (hidden.length > 0) await cancelRunsOfChats(tx, hidden);
  const purposeOf = (run: LockedRun): Purpose | undefined =>
    run.campaign_purpose ?? programs.get(run.version_id)?.purpose;
  const needHours =
    [...programs.values()].some(({ usesHours }) => usesHours) ||
    (!ignoresQuietHours && runs.some((run) => purposeOf(run) === 'marketing'));
  const hours = needHours ? await holdTenantHours(tx) : undefined;
  return runs.flatMap((run) => {
    if (run.chat_id !== null && !chats.has(run.chat_id)) return [];
    const contact = contacts.get(run.contact_id);
    const program = programs.get(run.version_id);
    // The contact is being erased, and the run is deleted with it.
    if (!contact || !program) return [];
    const activeRun: ActiveRun = {
      runId: run.id,
      contactId: contact.id,
      campaignId: run.campaign_id,
      author:
        run.campaign_id === null
          ? { type: 'automation', id: run.automation_id, name: run.automation_name }
          : { type: 'campaign', id: run.campaign_id, name: run.campaign_name },
      purpose: run.campaign_purpose ?? program.purpose,
      closesChats: run.closes_chats === true,
      chainDepth: run.state.chainDepth ?? 0,
      channelId: run.channel_id ?? program.channelId,
      externalIds,
      hours,
      // A campaign is tried out when its author wants to see it.
      respectsQuietHours: purposeOf(run) === 'marketing' && !run.is_test && !ignoresQuietHours,
      turns,
      context: {
        contact,
        attributes: attributesOf(contact, externalIds),
        chat: chats.get(run.chat_id ?? '') ?? null,
        message: messages.get(run.state.messageId ?? '') ?? null,
        // Only if a text uses it: encrypting it takes longer than a simple text.
        unsubscribeUrl: program.usesUnsubscribeUrl
          ? unsubscribeUrl(keys, baseUrl(), { tenantId: tx.tenantId, contactId: contact.id, messageId: null })
          : '',
      },
    };
    return [{ run, program, activeRun }];
  });
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

/** Executes one step batch of each run in one transaction. Returns the texts to evaluate after it. */
export async function advanceRuns(
  tx: TenantTx,
  ids: string[],
  known: ReadonlyMap<string, EffectResult>,
  deps: AdvanceDeps,
): Promise<PendingEvaluation[]> {
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
  const active = (await loadRuns(tx, runs, programs, deps)).map(({ run, program, activeRun }) => {
    const { variables = {}, ...state } = run.state;
    const at = { step: run.step, state: { ...freshState(run.id, variables), ...state } };
    const steps: Generator<Effect, StepBatch, EffectResult> = interpret(
      program,
      at,
      activeRun.context,
      tx.now,
      program.usesSecrets ? secrets : {},
      activeRun.hours && openingFor(activeRun, activeRun.hours),
    );
    return { run, activeRun, steps, turn: steps.next() };
  });

  const evaluations: PendingEvaluation[] = [];
  const evaluated = new Map(known);
  /** Gives the step its evaluated texts, or postpones it until they are there. */
  const evaluate = (one: (typeof active)[number], { input }: Extract<Effect, { kind: 'evaluate' }>): void => {
    const result = evaluated.get(one.run.id);
    // Only the first step of the batch has waited for it.
    evaluated.delete(one.run.id);
    if (!result) evaluations.push({ runId: one.run.id, input });
    one.turn = one.steps.next(result ?? { isPostponed: true });
  };

  for (;;) {
    for (const one of active)
      while (!one.turn.done && one.turn.value.kind === 'evaluate') evaluate(one, one.turn.value);
    const requesting = active.filter(({ turn }) => !turn.done);
    if (requesting.length === 0) break;
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
      if (!result.failure) one.activeRun.context = { ...one.activeRun.context, ...result.context };
      one.turn = one.steps.next(result);
    }
  }

  const advanced = active.map(
    ({ run, activeRun, turn }): Advanced => ({
      runId: run.id,
      revision: run.revision,
      chatId: activeRun.context.chat?.id ?? run.chat_id,
      wasScheduled: run.status === 'scheduled',
      stepBatch: withSealedCall(turn.value as StepBatch, deps.keys),
    }),
  );
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
    if (isUnavailable(error)) throw error;
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
