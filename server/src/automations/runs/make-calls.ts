import type { Logger } from 'pino';
import { batch } from '../../base/batch.ts';
import type { Keys } from '../../base/crypto.ts';
import type { Database } from '../../db/database.ts';
import { isServerTrouble } from '../../db/errors.ts';
import { type ParameterOf, rowSet } from '../../db/rows.ts';
import { systemStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { HandlerResult } from '../../engine/scheduler.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import type { OutboundClient } from '../../outbound/client.ts';
import { type DueCall, runsQueue } from '../queues.ts';
import { callOutside } from './call-outside.ts';
import { unsealCall } from './seal-call.ts';
import type { OutsideAnswer } from './state.ts';

const answers = rowSet({ id: 'uuid', tenant_id: 'uuid', revision: 'int', answer: 'jsonb' });
const storeAnswers = systemStatement<
  [answers: ParameterOf<typeof answers>],
  { tenant_id: string; automation_id: string }
>(
  'automation_runs.store_answers',
  // A run that was cancelled meanwhile has another revision. A held run stays held, and goes on when it is released.
  `with due as (
     select r.id, r.tenant_id, a.answer from ${answers.from(1, 'a')}
       join visible_automation_runs r on r.id = a.id and r.tenant_id = a.tenant_id and r.revision = a.revision and r.is_calling
      order by r.id for no key update of r)
   update visible_automation_runs r set is_calling = false, state = jsonb_set(r.state, '{pending,answer}', due.answer)
     from due where r.id = due.id and r.tenant_id = due.tenant_id
   returning r.tenant_id, r.automation_id`,
);

/** Stores the answer to the call of a run in a transaction. */
export const storeAnswerIn = (tx: TenantTx, id: string, revision: number, answer: OutsideAnswer): void =>
  tx.enqueue(storeAnswers, [answers.encode([{ id, tenant_id: tx.tenantId, revision, answer }])]);

/** Answers that come at about the same time are stored in one statement. */
const BATCH = { maxBatch: 100, maxConcurrent: 4 };

type Answered = Pick<DueCall, 'id' | 'tenant_id' | 'revision'> & { answer: OutsideAnswer };

/** Stores the answer to a call, after which its run is due again; resolves when that is committed. */
export type StoreAnswer = (answered: Answered) => Promise<void>;

export const createAnswerStore = (db: Database, wakeUps: Pick<WakeUps, 'wake'>): StoreAnswer =>
  batch<Answered, void>(
    async (given) => {
      const rows = await db.all(storeAnswers, [answers.encode(given)]);
      for (const { tenant_id: tenantId, automation_id: automationId } of rows)
        wakeUps.wake(runsQueue.name, runsQueue.shardOf(automationId, tenantId), automationId);
      return [];
    },
    BATCH,
    ({ tenant_id }) => tenant_id,
  );

interface CallDeps {
  outbound: OutboundClient;
  storeAnswer: StoreAnswer;
  keys: Keys;
  db: Database;
  log: Logger;
}

/**
 * Makes the call of a run's `http_request` step and stores the answer. After a crash the call is made again, with the same
 * bytes and the same idempotency key.
 */
export async function makeCalls(
  { outbound, storeAnswer, keys, db, log }: CallDeps,
  rows: DueCall[],
): Promise<HandlerResult> {
  const row = rows[0] as DueCall;
  const call = unsealCall(row.call, keys);
  const answer = call
    ? await callOutside(outbound, call, `${row.id}:${row.number}`, db.forTenant(row.tenant_id).now)
    : {
        failure: {
          code: 'secret_missing',
          message: 'The key of the installation was changed: retry the run',
        },
      };
  const stored = storeAnswer({ ...row, answer }).catch((error) => {
    if (isServerTrouble(error)) throw error;
    // Otherwise the call would be made again and again.
    log.error(
      { err: error, runId: row.id, tenantId: row.tenant_id },
      'the answer to a call could not be stored',
    );
    const failure = { code: 'http_failed', message: 'The answer cannot be stored' };
    return storeAnswer({ ...row, answer: { failure } });
  });
  return { outcome: answer.failure ? 'failing' : 'ok', stored };
}
