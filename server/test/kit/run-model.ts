import fc from 'fast-check';

/**
 * A model of what runs do, as simple as possible: without a database, transactions and repeated steps. Tests compare the real
 * execution with it.
 */

/** The index of another step; undefined is the next one in the list. */
type Target = number | undefined;
export type ModelStep =
  | { type: 'set_attribute'; value: string; next: Target }
  /** Fails unless the contact's last name is a number. */
  | { type: 'set_number'; next: Target }
  | { type: 'add_label' | 'remove_label'; next: Target }
  | { type: 'branch'; asks: 'mood' | 'label' | 'reply'; ifSo: number; next: Target }
  | { type: 'wait'; minutes: number; next: Target }
  | { type: 'wait_for_reply'; minutes: number; late: Target; next: Target }
  | { type: 'send_message'; next: Target }
  | { type: 'end'; next: Target };

const MINUTES = fc.constantFrom(10, 60);
const stepAt = (index: number, waits: readonly boolean[]): fc.Arbitrary<ModelStep> => {
  // A step goes back only to a step that waits, so that every loop takes time.
  const targets = waits.flatMap((isWait, at) => (at > index || isWait ? [at] : []));
  const target: fc.Arbitrary<Target> = fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    ...(targets.length === 0 ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...targets) }]),
  );
  const of = <T extends ModelStep['type'], R extends object>(type: T, more: fc.Arbitrary<R>) =>
    fc.tuple(more, target).map(([rest, next]) => ({ type, ...rest, next }));
  const nothing = fc.constant({});
  if (waits[index])
    return fc.oneof(
      of('wait', fc.record({ minutes: MINUTES })),
      of('wait_for_reply', fc.record({ minutes: MINUTES, late: target })),
    );
  return fc.oneof(
    of('set_attribute', fc.record({ value: fc.constantFrom('good', 'bad') })),
    of('set_number', nothing),
    of('add_label', nothing),
    of('remove_label', nothing),
    ...(targets.length === 0
      ? []
      : [
          of(
            'branch',
            fc.record({ asks: fc.constantFrom('mood', 'label', 'reply'), ifSo: fc.constantFrom(...targets) }),
          ),
        ]),
    { weight: 3, arbitrary: of('send_message', nothing) },
    of('end', nothing),
  ) as fc.Arbitrary<ModelStep>;
};

/** Steps that end at some time. */
export const modelSteps: fc.Arbitrary<ModelStep[]> = fc
  .array(fc.boolean(), { minLength: 1, maxLength: 7 })
  .chain((waits) => fc.tuple(...waits.map((_, index) => stepAt(index, waits))));

export const idOf = (index: number): string => `s${index}`;
const MINUTE = 60_000;

/** The steps in the format of a definition. */
export function definitionOf(steps: readonly ModelStep[], labelId: string): object[] {
  const to = (target: Target, key: string): object => (target === undefined ? {} : { [key]: idOf(target) });
  const conditions = {
    mood: 'eq(attributes.mood,"good")',
    label: `contains(contact.labelIds,"${labelId}")`,
    reply: 'eq(message.text,"yes")',
  };
  const parametersOf = (step: ModelStep, index: number): object => {
    switch (step.type) {
      case 'set_attribute':
        return { externalId: 'mood', value: step.value };
      case 'set_number':
        return { externalId: 'score', value: '{{ contact.lastName }}' };
      case 'add_label':
      case 'remove_label':
        return { labelId };
      case 'branch':
        return { cases: [{ when: conditions[step.asks], next: idOf(step.ifSo) }] };
      case 'wait':
        return { for: `PT${step.minutes}M` };
      case 'wait_for_reply':
        return { timeout: `PT${step.minutes}M`, ...to(step.late, 'onTimeout') };
      case 'send_message':
        return { text: `I am ${idOf(index)}` };
      default:
        return {};
    }
  };
  return steps.map((step, index) => ({
    id: idOf(index),
    type: step.type === 'set_number' ? 'set_attribute' : step.type,
    parameters: parametersOf(step, index),
    ...to(step.next, 'next'),
  }));
}

export interface ModelPerson {
  isSubscribed: boolean;
  lastName: string;
  mood: string | null;
  hasLabel: boolean;
  /** The messages of the contact, by the time at which they were received. */
  wrote: { order: number; text: string }[];
  /** The messages to the contact, in order. */
  got: string[];
}

export interface ModelRun {
  readonly steps: readonly ModelStep[];
  readonly person: ModelPerson;
  status: 'scheduled' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
  step: number | null;
  trace: { step: number; status: 'completed' | 'waiting' | 'failed' | 'cancelled' }[];
  sent: string[];
  until: number | null;
  hasChat: boolean;
  /** Replies count if they were received after this. */
  after: number;
  reply: string | null;
}

export const newPerson = (): ModelPerson => ({
  isSubscribed: true,
  lastName: 'x',
  mood: null,
  hasLabel: false,
  wrote: [],
  got: [],
});

export const newRun = (steps: readonly ModelStep[], person: ModelPerson, order: number): ModelRun => ({
  steps,
  person,
  status: 'scheduled',
  step: null,
  trace: [],
  sent: [],
  until: null,
  hasChat: false,
  after: order,
  reply: null,
});

export const isLive = ({ status }: ModelRun): boolean => ['scheduled', 'running', 'waiting'].includes(status);

/** Ends a run from outside, with the step in which it is. */
export function cancel(run: ModelRun): void {
  run.status = 'cancelled';
  const entry = run.trace.at(-1);
  if (entry?.status === 'waiting') entry.status = 'cancelled';
}

/** The step after another; null at the end. */
const follow = (run: ModelRun, index: number, target: Target): number | null =>
  target ?? (index + 1 < run.steps.length ? index + 1 : null);

type Outcome = { to: number | null } | 'waiting' | 'failed' | 'cancelled';

function perform(run: ModelRun, index: number, now: number, next: () => number): Outcome {
  const { person } = run;
  const step = run.steps[index] as ModelStep;
  const on: Outcome = { to: follow(run, index, step.next) };
  switch (step.type) {
    case 'set_attribute':
      person.mood = step.value;
      return on;
    case 'set_number':
      return person.lastName === 'x' ? 'failed' : on;
    case 'add_label':
    case 'remove_label':
      person.hasLabel = step.type === 'add_label';
      return on;
    case 'branch': {
      const answers = { mood: person.mood === 'good', label: person.hasLabel, reply: run.reply === 'yes' };
      return answers[step.asks] ? { to: step.ifSo } : on;
    }
    case 'wait':
      run.until ??= now + step.minutes * MINUTE;
      return run.until > now ? 'waiting' : on;
    case 'wait_for_reply': {
      run.until ??= now + step.minutes * MINUTE;
      const reply = run.hasChat ? person.wrote.find(({ order }) => order > run.after) : undefined;
      if (reply) {
        run.after = reply.order;
        run.reply = reply.text;
        return on;
      }
      if (run.until > now) return 'waiting';
      run.reply = null;
      return { to: follow(run, index, step.late ?? step.next) };
    }
    case 'send_message':
      if (!person.isSubscribed) return 'cancelled';
      run.sent.push(`I am ${idOf(index)}`);
      person.got.push(`I am ${idOf(index)}`);
      run.hasChat = true;
      run.after = next();
      return on;
    default:
      return { to: null };
  }
}

/** Runs all steps that can run now. */
export function advance(run: ModelRun, now: number, next: () => number): void {
  if (!isLive(run)) return;
  let index = run.step ?? (run.status === 'scheduled' ? 0 : null);
  while (index !== null) {
    if (run.until === null) run.trace.push({ step: index, status: 'completed' });
    const entry = run.trace.at(-1) as ModelRun['trace'][number];
    const outcome = perform(run, index, now, next);
    run.step = index;
    if (typeof outcome === 'string') {
      entry.status = outcome === 'waiting' ? 'waiting' : 'failed';
      run.status = outcome;
      return;
    }
    entry.status = 'completed';
    run.until = null;
    index = outcome.to;
  }
  run.status = 'completed';
  run.step = null;
}
