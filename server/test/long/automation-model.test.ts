import fc from 'fast-check';
import { expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { workerDatabase } from '../kit/execution.ts';
import { type Death, type MortalWorker, mortalWorkers, type QueueName } from '../kit/mortal-worker.ts';
import {
  advance,
  cancel,
  definitionOf,
  idOf,
  isLive,
  type ModelPerson,
  type ModelRun,
  type ModelStep,
  modelSteps,
  newPerson,
  newRun,
} from '../kit/run-model.ts';
import { noteSandboxCalls, repeatedCalls } from '../kit/sandbox-calls.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const RUNS = Number(process.env.MODEL_RUNS ?? 8);
const SEED = Number(process.env.MODEL_SEED ?? 20_261_115);
const MINUTE = 60_000;
const CONTACTS = 2;

const server = await useServer();
const db = workerDatabase(server);
const born = mortalWorkers(server, db);
const ask = async (text: string, values: unknown[] = []) => (await db.query(text, values)).rows;
await noteSandboxCalls(ask);

type Command =
  | { do: 'trigger'; who: number }
  | { do: 'write'; who: number; text: string; minutes: number }
  | { do: 'pass'; minutes: number }
  | { do: 'cancel' | 'retry'; which: number }
  | { do: 'publish'; steps: ModelStep[] }
  | { do: 'subscribe'; who: number; isSubscribed: boolean }
  | { do: 'rename'; who: number; lastName: string };

const who = fc.nat(CONTACTS - 1);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('trigger' as const), who }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      who,
      text: fc.constantFrom('yes', 'no'),
      // Now and then exactly when a wait times out.
      minutes: fc.constantFrom(0, 0, 10, 60),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.constantFrom(5, 10, 60) }),
  },
  fc.record({ do: fc.constantFrom('cancel' as const, 'retry' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('publish' as const), steps: modelSteps }),
  fc.record({ do: fc.constant('subscribe' as const), who, isSubscribed: fc.boolean() }),
  fc.record({ do: fc.constant('rename' as const), who, lastName: fc.constantFrom('x', '7') }),
);
/** What is done, and how the work after it goes: who is first, and whether the worker dies on the way. */
interface Turn {
  command: Command;
  runsFirst: boolean;
  death: Death | null;
}
const turn: fc.Arbitrary<Turn> = fc.record({
  command,
  runsFirst: fc.boolean(),
  death: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 6 }), when: fc.constantFrom('before', 'after') }),
    { freq: 3 },
  ),
});

const INBOUND_FIRST: QueueName[] = ['inbound', 'events', 'run_replies', 'automation_runs', 'messages'];
const RUNS_FIRST: QueueName[] = ['automation_runs', 'inbound', 'events', 'run_replies', 'messages'];

/** The server with a tenant of its own, and the model of it, each given the same commands. */
async function context(first: ModelStep[]) {
  const tenant: TestTenant = await server.tenant();
  const make = async (path: string, body: object) => {
    const answer = await tenant.post(path, body);
    expect([path, answer.body.error]).toEqual([path, undefined]);
    return answer.body.data;
  };
  const channel = await make('/v3/channels', {
    kind: 'sms',
    provider: 'sandbox',
    name: 'Test',
    address: '+15550009999',
    config: { statusDelayMs: 3_600_000 },
  });
  const { id: labelId } = await make('/v3/labels', { name: 'VIP' });
  await make('/v3/attributes', { name: 'Mood', externalId: 'mood' });
  await make('/v3/attributes', { name: 'Score', externalId: 'score', type: 'number' });
  const contacts: (ModelPerson & { id: string; phoneNumber: string })[] = [];
  for (let number = 0; number < CONTACTS; number += 1) {
    const phoneNumber = `+1555200001${number}`;
    const { id } = await make('/v3/contacts', { phoneNumber, lastName: 'x' });
    contacts.push({ ...newPerson(), id, phoneNumber });
  }
  const definition = (steps: ModelStep[]) => ({ steps: definitionOf(steps, labelId) });
  const trigger = { type: 'api', parameters: { channelId: channel.id } };
  const automationId = await automationOf(tenant, { trigger, ...definition(first) });

  let steps = first;
  let order = 0;
  const next = (): number => ++order;
  const runs: (ModelRun & { id: string })[] = [];
  let unread: { person: ModelPerson; text: string }[] = [];

  async function apply(given: Command): Promise<void> {
    const person = contacts['who' in given ? given.who : 0] as (typeof contacts)[number];
    const run = 'which' in given ? runs[given.which % Math.max(1, runs.length)] : undefined;
    switch (given.do) {
      case 'trigger': {
        // Two runs of one person at a time would race for what both of them change.
        if (runs.some((one) => one.person === person && isLive(one))) return;
        const answer = await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId: person.id });
        expect(answer.status).toBe(200);
        runs.push({ ...newRun(steps, person, next()), id: answer.headers['x-automation-run-id'] as string });
        return;
      }
      case 'write':
        await make(`/v3/sandbox/${channel.id}/inbound`, { from: person.phoneNumber, text: given.text });
        unread.push({ person, text: given.text });
        server.clock.advance(given.minutes * MINUTE);
        return;
      case 'pass':
        server.clock.advance(given.minutes * MINUTE);
        return;
      case 'cancel':
        if (!run) return;
        expect((await tenant.post(`/v3/automation_runs/${run.id}/cancel`)).status).toBe(
          isLive(run) ? 200 : 409,
        );
        if (isLive(run)) cancel(run);
        return;
      case 'retry': {
        if (!run) return;
        const isFailed =
          run.status === 'failed' && !runs.some((one) => one.person === run.person && isLive(one));
        if (run.status === 'failed' && !isFailed) return;
        expect((await tenant.post(`/v3/automation_runs/${run.id}/retry`)).status).toBe(isFailed ? 200 : 409);
        if (isFailed) run.status = 'running';
        return;
      }
      case 'publish':
        await tenant.put(`/v3/automations/${automationId}`, definition(given.steps));
        await make(`/v3/automations/${automationId}/publish`, {});
        steps = given.steps;
        return;
      default: {
        const { who: _, do: __, ...change } = given;
        await tenant.put(`/v3/contacts/${person.id}`, change);
        Object.assign(person, change);
      }
    }
  }

  /** Does the work that there is, here and in the model. */
  async function work({ runsFirst, death }: Turn): Promise<void> {
    const lists = runsFirst ? RUNS_FIRST : INBOUND_FIRST;
    let worker: MortalWorker = born(tenant, death ?? undefined, lists);
    while (!(await worker.settle())) worker = born(tenant, undefined, lists);
    const now = server.clock.now().getTime();
    const advanceAll = (): void => {
      for (const run of runs)
        if (run.until === null || run.until <= now || hasReply(run)) advance(run, now, next);
    };
    if (runsFirst) advanceAll();
    for (const { person, text } of unread) person.wrote.push({ order: next(), text });
    unread = [];
    advanceAll();
  }
  const hasReply = (run: ModelRun): boolean => run.steps[run.step ?? 0]?.type === 'wait_for_reply';

  async function compare(): Promise<void> {
    const found = [];
    for (const { id } of runs) {
      const { status, step, trace } = (await tenant.get(`/v3/automation_runs/${id}`)).body.data;
      const messages = await ask('select text from messages where run_id = $1 order by run_step', [id]);
      found.push({
        status,
        step,
        trace: trace.map((entry: Record<string, unknown>) => `${entry.number} ${entry.step} ${entry.status}`),
        sent: messages.map(({ text }) => text),
      });
    }
    expect(found).toEqual(
      runs.map((run) => ({
        status: run.status,
        step: run.step === null ? null : idOf(run.step),
        trace: run.trace.map((entry, index) => `${index + 1} ${idOf(entry.step)} ${entry.status}`),
        sent: run.sent,
      })),
    );
    const outbox = await ask(
      'select recipient, text from sandbox_outbox where channel_id = $1 order by at, message_id',
      [channel.id],
    );
    for (const person of contacts) {
      const got = outbox.filter(({ recipient }) => recipient === person.phoneNumber).map(({ text }) => text);
      const { labels, attributes } = (await tenant.get(`/v3/contacts/${person.id}`)).body.data;
      const mood = attributes.find(({ externalId }: { externalId: string }) => externalId === 'mood');
      expect({ got, hasLabel: labels.length > 0, mood: mood?.value ?? null }).toEqual({
        got: person.got,
        hasLabel: person.hasLabel,
        mood: person.mood,
      });
    }
  }
  return { apply, work, compare };
}

it('runs do what a model of them does, whatever happens to them and to their workers', {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(modelSteps, fc.array(turn, { minLength: 4, maxLength: 10 }), async (steps, turns) => {
      const { apply, work, compare } = await context(steps);
      for (const one of [{ ...(turns[0] as Turn), command: { do: 'trigger' as const, who: 0 } }, ...turns]) {
        await apply(one.command);
        await work(one);
        await compare();
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(await repeatedCalls(ask)).toBe(0);
});
