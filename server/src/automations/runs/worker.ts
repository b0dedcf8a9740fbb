import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { attributesOf as attributesOfTenant } from '../../attributes/find-attributes.ts';
import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import { findChats } from '../../chats/chat.ts';
import { findContacts } from '../../contacts/contact.ts';
import type { Database, Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Publisher } from '../../engine/outbox.ts';
import { declareQueue, type QueueRow } from '../../engine/queue.ts';
import { type Work, work } from '../../engine/runner.ts';
import { findMessages } from '../../messages/message.ts';
import type { OutboundClient } from '../../outbound/client.ts';
import type { Definition } from '../schema.ts';
import { callOutside } from './call-outside.ts';
import { attributesOf } from './context.ts';
import { type ActiveRun, performEffects, type SendForRuns } from './effects.ts';
import {
  type Answered,
  type Effect,
  type EffectResult,
  freshState,
  interpret,
  type OutsideCall,
  type RunState,
  type StepBatch,
} from './interpreter.ts';
import { type Program, programOf } from './program.ts';
import { RUN_COLUMNS, RUNS_LIST, type RunRow } from './run.ts';
import { type Advanced, runEvent, storeStepBatches } from './store.ts';

interface DueRun extends QueueRow {
  attempts: number;
}

const due = declareQueue<DueRun>({
  name: RUNS_LIST,
  table: 'automation_runs',
  lane: 'automation_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select id, tenant_id, attempts from automation_runs
           where shard = $1 and automation_id = $2 and due_at <= $3 order by due_at, id limit $4`,
  batch: 50,
  perLane: 4,
  atOnce: 8,
});

interface LockedRun {
  id: string;
  version_id: string;
  contact_id: string;
  chat_id: string | null;
  campaign_id: string | null;
  channel_id: string | null;
  status: string;
  step: string | null;
  state: Partial<RunState>;
  revision: number;
}

const lockRuns = statement<[ids: string[], tenantId: string, now: Date], LockedRun>(
  'automation_runs.lock',
  // Always in the order of ids. One that was cancelled or taken further meanwhile is no longer due.
  `select r.id, r.version_id, r.contact_id, r.chat_id, r.campaign_id, r.status, r.step, r.state, r.revision,
          (select c.channel_id from campaigns c where c.id = r.campaign_id and c.tenant_id = r.tenant_id) as channel_id
     from automation_runs r
    where r.id = any ($1::uuid[]) and r.tenant_id = $2 and r.due_at <= $3
      and r.status in ('scheduled', 'running', 'waiting')
    order by r.id for update of r`,
);
const definitions = statement<[ids: string[], tenantId: string], { id: string; definition: Definition }>(
  'automation_versions.definitions',
  'select id, definition from automation_versions where id = any ($1::uuid[]) and tenant_id = $2',
);
const postpone = statement<
  [id: string, tenantId: string, attempts: number, dueAt: Date | null, error: string | null, now: Date],
  RunRow
>(
  'automation_runs.postpone',
  `update automation_runs r
      set attempts = attempts + 1, due_at = $4::timestamptz, updated_at = $6::timestamptz, revision = revision + 1,
          status = case when $4::timestamptz is null then 'failed' else status end, error = $5,
          ended_at = case when $4::timestamptz is null then $6::timestamptz end,
          waiting_reply = waiting_reply and $4::timestamptz is not null
    where id = $1 and tenant_id = $2 and attempts = $3 and due_at is not null returning ${RUN_COLUMNS}`,
);

/** A run that fails for reasons of ours is tried so often, and then stays to be looked at. */
const TRIES = 5;
const FIRST_PAUSE_MS = 1_000;
const PROGRAMS_KEPT = 1_000;

export interface RunDeps {
  db: Database;
  clock: Clock;
  publisher: Publisher;
  outbound: OutboundClient;
  send: SendForRuns;
  log: Logger;
}

/** A call that is to be made now that its stretch is committed. */
interface Calling {
  runId: string;
  number: number;
  call: OutsideCall;
}

/** Moves due runs through their steps. */
export function executeRuns(deps: RunDeps): Work {
  const { db, clock, outbound, log } = deps;
  const programs = new LRUCache<string, Program>({ max: PROGRAMS_KEPT });

  /** Everything that a run does is told as its own doing, so that it does not start runs by accident. */
  const publisherOf = (runId: string): Publisher => ({
    publish: (tx, tenantId, events) =>
      deps.publisher.publish(
        tx,
        tenantId,
        events.map((event) => ({ ...event, originRunId: runId })),
      ),
  });

  async function programsOf(tx: Tx, tenantId: string, versionIds: string[]): Promise<Map<string, Program>> {
    const missing = [...new Set(versionIds)].filter((id) => !programs.has(id));
    if (missing.length > 0)
      for (const { id, definition } of await tx.all(definitions, [missing, tenantId]))
        programs.set(id, programOf(definition));
    return new Map(versionIds.map((id) => [id, programs.get(id) as Program]));
  }

  /** The runs with what their texts and conditions speak of. */
  async function activeRunsOf(tx: Tx, tenantId: string, runs: LockedRun[], ready: Map<string, Program>) {
    const ids = (of: (run: LockedRun) => string | null | undefined): string[] => [
      ...new Set(runs.flatMap((run) => of(run) ?? [])),
    ];
    const contacts = new Map(
      (
        await findContacts(
          tx,
          tenantId,
          ids((run) => run.contact_id),
        )
      ).map((one) => [one.id, one]),
    );
    const chats = new Map(
      (
        await findChats(
          tx,
          tenantId,
          ids((run) => run.chat_id),
        )
      ).map((one) => [one.id, one]),
    );
    const messages = new Map(
      (
        await findMessages(
          tx,
          tenantId,
          ids((run) => run.state.messageId),
        )
      ).map((one) => [one.id, one]),
    );
    const externalIds = (await attributesOfTenant(tx, tenantId)).map((attribute) => attribute.external_id);
    return runs.flatMap((run) => {
      const contact = contacts.get(run.contact_id);
      const program = ready.get(run.version_id);
      // Its contact is being erased: the run goes with it.
      if (!contact || !program) return [];
      const activeRun: ActiveRun = {
        runId: run.id,
        contactId: contact.id,
        campaignId: run.campaign_id,
        channelId: run.channel_id ?? program.channelId,
        externalIds,
        context: {
          contact,
          attributes: attributesOf(contact, externalIds),
          chat: chats.get(run.chat_id ?? '') ?? null,
          message: messages.get(run.state.messageId ?? '') ?? null,
        },
        deps: { clock, publisher: publisherOf(run.id) },
      };
      return [{ run, program, activeRun }];
    });
  }

  /** One stretch of each run, in one transaction; gives the calls that are to be made after it. */
  async function advance(
    tx: Tx,
    tenantId: string,
    ids: string[],
    answers: ReadonlyMap<string, Answered>,
  ): Promise<Calling[]> {
    const now = clock.now(tenantId);
    const runs = await tx.all(lockRuns, [ids, tenantId, now]);
    if (runs.length === 0) return [];
    const ready = await programsOf(
      tx,
      tenantId,
      runs.map((run) => run.version_id),
    );
    const activeRuns = (await activeRunsOf(tx, tenantId, runs, ready)).map(({ run, program, activeRun }) => {
      const { variables = {}, ...state } = run.state;
      const answered = answers.get(run.id);
      const at = {
        step: run.step,
        state: { ...freshState(run.id, variables), ...state },
        ...(answered ? { answered } : {}),
      };
      const steps: Generator<Effect, StepBatch, EffectResult> = interpret(
        program,
        at,
        activeRun.context,
        now,
      );
      return { run, activeRun, steps, turn: steps.next() };
    });

    for (;;) {
      const asking = activeRuns.filter(({ turn }) => !turn.done);
      if (asking.length === 0) break;
      const done = await performEffects(
        tx,
        tenantId,
        asking.map(({ activeRun, turn }) => ({ activeRun, effect: turn.value as Effect })),
        deps.send,
      );
      for (const [index, one] of asking.entries()) {
        const result = done[index] as EffectResult;
        if (!result.issue) one.activeRun.context = { ...one.activeRun.context, ...result.context };
        one.turn = one.steps.next(result);
      }
    }

    const advanced = activeRuns.map(
      ({ run, activeRun, turn }): Advanced => ({
        runId: run.id,
        revision: run.revision,
        chatId: activeRun.context.chat?.id ?? run.chat_id,
        wasScheduled: run.status === 'scheduled',
        stepBatch: turn.value as StepBatch,
      }),
    );
    await storeStepBatches(tx, tenantId, advanced, now, deps.publisher);
    return advanced.flatMap(({ runId, stepBatch: { ending, state } }) =>
      ending.kind === 'calling' ? [{ runId, number: state.begun, call: ending.call }] : [],
    );
  }

  /** Stretch after stretch, with the calls between them, until none of these runs has anything more to do now. */
  async function run(tenantId: string, ids: string[]): Promise<void> {
    let calling = await db.transaction((tx) => advance(tx, tenantId, ids, new Map()));
    while (calling.length > 0) {
      const answers = new Map(
        await Promise.all(
          calling.map(
            async ({ runId, number, call }): Promise<[string, Answered]> => [
              runId,
              await callOutside(outbound, call, `${runId}:${number}`),
            ],
          ),
        ),
      );
      calling = await db.transaction((tx) => advance(tx, tenantId, [...answers.keys()], answers));
    }
  }

  async function giveUpOn(row: DueRun, error: unknown): Promise<void> {
    const again = row.attempts + 1 < TRIES;
    const now = clock.now(row.tenant_id);
    const dueAt = again ? new Date(now.getTime() + FIRST_PAUSE_MS * 4 ** row.attempts) : null;
    const issue = again
      ? null
      : { code: 'internal', message: 'It failed again and again for a reason of the server; see its log' };
    log.error({ err: error, runId: row.id, tenantId: row.tenant_id }, 'a run failed');
    const told = issue === null ? null : JSON.stringify(issue);
    await db.transaction(async (tx) => {
      const run = await tx.find(postpone, [row.id, row.tenant_id, row.attempts, dueAt, told, now]);
      if (run?.status === 'failed')
        await deps.publisher.publish(tx, row.tenant_id, [runEvent('automation.run_failed', run)]);
    });
  }

  const isLoss = (error: unknown): boolean =>
    error instanceof ApiError && error.key === 'service_unavailable';

  return work(due, async (rows) => {
    const tenantId = (rows[0] as DueRun).tenant_id;
    try {
      await run(
        tenantId,
        rows.map((row) => row.id),
      );
      return 'ok';
    } catch (error) {
      if (isLoss(error)) throw error;
      if (rows.length === 1) {
        await giveUpOn(rows[0] as DueRun, error);
        return 'failing';
      }
    }
    let failed = false;
    for (const row of rows)
      await run(tenantId, [row.id]).catch((error) => {
        if (isLoss(error)) throw error;
        failed = true;
        return giveUpOn(row, error);
      });
    return failed ? 'failing' : 'ok';
  });
}
