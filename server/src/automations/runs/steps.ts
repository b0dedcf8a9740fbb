import { DateTime, Duration } from 'luxon';
import { isDateTime } from '../../http/validation.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { type Filter, listFields } from '../../search/grammar/filter.ts';
import { type ConditionValues, findTrue, needThread, valuesOf } from '../definition/evaluate-conditions.ts';
import { liquidAt, type Rendered, renderSimple } from '../definition/liquid.ts';
import type { StepType } from '../definition/steps.ts';
import { lookUp, type Saved } from './context.ts';
import type { EvaluateInput } from './evaluate-task.ts';
import type { ProgramStep } from './program.ts';
import type { AnsweredCall, Effect, EffectResult, Outcome, RunContent, Running } from './state.ts';

type StepGenerator = Generator<Effect, Outcome, EffectResult>;
type Performer = (
  running: Running,
  step: ProgramStep,
  answered: AnsweredCall | undefined,
) => StepGenerator | Outcome;

/** Thrown by the function of a step; becomes the step's outcome. */
class StepError {
  readonly code: string;
  readonly message: string;
  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** The parts of the scope that a text can use. A copy of the others would take the event loop's time for nothing. */
function scopeFor(texts: readonly string[], scope: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(scope);
  // In brackets any name may come from a value.
  if (texts.some((text) => text.includes('['))) return scope;
  return Object.fromEntries(
    names.map((name) => [name, texts.some((text) => text.includes(name)) ? scope[name] : {}]),
  );
}

/** Renders the texts of a step: simple ones here, the others together in a worker thread. */
function* renderAll(
  running: Running,
  templates: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Generator<Effect, string[], EffectResult> {
  const scope = { ...running.scope(), ...more };
  const rendered = templates.map((template) => renderSimple(template, scope));
  const texts = templates.filter((_, index) => rendered[index] === undefined);
  let others: Rendered[] = [];
  if (texts.length > 0) {
    const input: EvaluateInput = { kind: 'texts', texts, scope: scopeFor(texts, scope) };
    const { evaluated } = yield* applyEffect(running, { kind: 'evaluate', input });
    if (evaluated?.kind !== 'texts') throw new Error('the texts were not rendered');
    others = [...evaluated.rendered];
  }
  return rendered.map((one) => {
    const { text, issue } = one ?? (others.shift() as Rendered);
    if (text === undefined) throw new StepError('liquid_error', `The text could not be rendered: ${issue}`);
    return text;
  });
}

/** The address of a call that uses secrets. It is rendered without them, because the trace shows it. */
function renderAddress(running: Running, template: string): string {
  const { text, issue = 'it must be simple if a step uses secrets' } =
    renderSimple(template, running.scope()) ?? {};
  if (text === undefined) throw new StepError('liquid_error', `The URL could not be rendered: ${issue}`);
  if (liquidAt(text) >= 0) throw new StepError('liquid_error', 'The rendered URL contains Liquid again');
  return text;
}

function* renderText(running: Running, template: unknown): Generator<Effect, string, EffectResult> {
  const [text] = yield* renderAll(running, [template as string]);
  return text as string;
}

/** Renders every text in a value, at any depth. Ids and numbers have no Liquid and stay as they are. */
function* renderContent<V extends object>(running: Running, value: V): Generator<Effect, V, EffectResult> {
  const templates: string[] = [];
  const collect = (part: unknown): void => {
    if (typeof part === 'string') templates.push(part);
    else if (typeof part === 'object' && part !== null) Object.values(part).forEach(collect);
  };
  collect(value);
  const texts = yield* renderAll(running, templates);
  let next = 0;
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      next += 1;
      return texts[next - 1];
    }
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, fill(inner)]));
  };
  return fill(value) as V;
}

function* time(running: Running, template: unknown): Generator<Effect, Date, EffectResult> {
  const rendered = (yield* renderText(running, template)).trim();
  if (!isDateTime(rendered))
    throw new StepError('invalid_time', `"${rendered.slice(0, 100)}" is not a time with a zone`);
  return new Date(rendered);
}

/** Adds a duration by the calendar in UTC: `P1M` is a month, whatever its length. */
const after = (now: Date, duration: unknown): Date =>
  DateTime.fromJSDate(now, { zone: 'utc' })
    .plus(Duration.fromISO(duration as string))
    .toJSDate();

function* applyEffect(
  running: Running,
  effect: Effect,
): Generator<Effect, EffectResult & { failure?: undefined }, EffectResult> {
  const result = yield effect;
  if (result.failure || result.isPostponed) throw result;
  running.context = { ...running.context, ...result.context };
  return result;
}

function* send(
  running: Running,
  effect: Extract<Effect, { kind: 'send' }>,
  detail: Record<string, unknown>,
): StepGenerator {
  const { messageId, quietUntil } = yield* applyEffect(running, effect);
  if (quietUntil) {
    const quiet = { quietUntil: quietUntil.toISOString() };
    return { kind: 'wait', until: quietUntil, forReply: false, waitsFor: 'quiet', detail: quiet };
  }
  if (messageId !== undefined) running.state.after = messageId;
  return { kind: 'done', detail: { ...detail, messageId } };
}

/** The index of the first condition that is true, or -1. Many conditions on long texts are evaluated in a worker thread. */
function* findCase(
  running: Running,
  conditions: Filter[],
  values: ConditionValues,
): Generator<Effect, number, EffectResult> {
  if (!needThread(conditions, values)) return findTrue(conditions, values);
  const input: EvaluateInput = { kind: 'conditions', conditions, values };
  const { evaluated } = yield* applyEffect(running, { kind: 'evaluate', input });
  if (evaluated?.kind !== 'conditions') throw new Error('the conditions were not evaluated');
  return evaluated.index;
}

/** All saved answers of a run. They are stored with it and read again in each step batch. */
const MAX_SAVED_CHARACTERS = 2_000_000;

function save(before: Readonly<Record<string, Saved>>, name: string, answer: Saved): Record<string, Saved> {
  const saved = { ...before, [name]: answer };
  const size = JSON.stringify(saved).length;
  if (size > MAX_SAVED_CHARACTERS)
    throw new StepError(
      'answer_too_large',
      `The saved answers of a run may have ${MAX_SAVED_CHARACTERS} characters of JSON, these have ${size}`,
    );
  return saved;
}

/** Looks at the hours again each time it wakes, because they may have changed. */
function waitUntilOpen({ opening, now }: Running): Outcome {
  const opensAt = opening().nextOpening(now);
  if (opensAt === null)
    throw new StepError(
      'never_open',
      'The business hours have no opening in the next ten years; change them and retry the run',
    );
  const detail = { opensAt: opensAt.toISOString() };
  if (opensAt <= now) return { kind: 'done', detail };
  return { kind: 'wait', until: opensAt, forReply: false, waitsFor: 'open', detail };
}

function* setSubscription(
  running: Running,
  { parameters }: ProgramStep,
  status: 'subscribed' | 'unsubscribed',
): StepGenerator {
  const { channelKind = null } = parameters as { channelKind?: ChannelKind };
  yield* applyEffect(running, { kind: 'set_subscription', status, channelKind });
  return { kind: 'done', detail: { channelKind } };
}

const performers: Record<StepType, Performer> = {
  *send_message(running, { parameters }) {
    const { channelId = null, ...templates } = parameters as RunContent & { channelId?: string };
    const content = yield* renderContent(running, templates);
    const isEmpty = Object.keys(content).length === 1 && content.text?.trim() === '';
    if (isEmpty)
      throw new StepError('empty_text', 'The rendered text is empty, and an empty message cannot be sent');
    return yield* send(
      running,
      { kind: 'send', number: running.state.begun, channelId, content },
      { ...content },
    );
  },
  *send_template(running, { parameters }) {
    const {
      templateId,
      variables = {},
      ...own
    } = parameters as unknown as NonNullable<RunContent['template']>;
    const { templateId: otherId, templateHeader } = running.state;
    const rendered = yield* renderContent(running, { variables, own });
    const template = {
      templateId: otherId ?? templateId,
      variables: rendered.variables,
      // The file and the other parts of a step belong to the template of the step.
      ...(otherId === null ? rendered.own : {}),
      ...(templateHeader ? { header: templateHeader } : {}),
    };
    const outcome = yield* send(
      running,
      { kind: 'send', number: running.state.begun, channelId: null, content: { template } },
      template,
    );
    // Those of the campaign are for the first message, which may have to wait.
    if (outcome.kind === 'done') {
      running.state.templateId = null;
      running.state.templateHeader = null;
    }
    return outcome;
  },
  *wait(running, { parameters }) {
    if (parameters.untilOpen === true) return waitUntilOpen(running);
    const { pending } = running.state;
    const until = pending?.until
      ? new Date(pending.until)
      : parameters.for === undefined
        ? yield* time(running, parameters.until)
        : after(running.now, parameters.for);
    const detail = { until: until.toISOString() };
    return until > running.now ? { kind: 'wait', until, forReply: false, detail } : { kind: 'done', detail };
  },
  *wait_for_reply(running, { parameters, next }) {
    const { pending } = running.state;
    const until = pending?.until ? new Date(pending.until) : after(running.now, parameters.timeout);
    const detail = { until: until.toISOString() };
    const { messageId, context } = yield* applyEffect(running, {
      kind: 'find_reply',
      after: running.state.after,
    });
    if (messageId !== undefined) {
      running.state.after = messageId;
      running.state.messageId = messageId;
      return {
        kind: 'done',
        detail: { ...detail, reply: { messageId, text: context?.message?.text ?? null } },
      };
    }
    if (until > running.now) return { kind: 'wait', until, forReply: true, detail };
    running.state.messageId = null;
    running.context = { ...running.context, message: null };
    return {
      kind: 'done',
      detail: { ...detail, timedOut: true },
      next: (parameters.onTimeout as string | undefined) ?? next,
    };
  },
  *branch(running, { parameters, conditionsAt, next }) {
    const conditions = conditionsAt(running.now);
    const cases = parameters.cases as { when: string; next: string }[];
    const scope = running.scope();
    const compared = valuesOf(conditions, (name) => lookUp(scope, name));
    const index = yield* findCase(running, conditions, compared);
    // The trace shows the values of every condition that was evaluated.
    const evaluated = index < 0 ? conditions : conditions.slice(0, index + 1);
    const values = Object.fromEntries(evaluated.flatMap(listFields).map((field) => [field, compared[field]]));
    const chosen = cases[index];
    if (chosen)
      return { kind: 'done', detail: { case: index, when: chosen.when, values }, next: chosen.next };
    const otherwise = (parameters.else as string | undefined) ?? next;
    return { kind: 'done', detail: { case: null, values }, next: otherwise };
  },
  *set_attribute(running, { parameters }) {
    const { externalId } = parameters as { externalId: string };
    const value = yield* renderText(running, parameters.value);
    yield* applyEffect(running, { kind: 'set_attribute', externalId, value });
    return { kind: 'done', detail: { externalId, value } };
  },
  *add_label(running, { parameters }) {
    const labelId = parameters.labelId as string;
    yield* applyEffect(running, { kind: 'add_label', labelId });
    return { kind: 'done', detail: { labelId } };
  },
  *remove_label(running, { parameters }) {
    const labelId = parameters.labelId as string;
    yield* applyEffect(running, { kind: 'remove_label', labelId });
    return { kind: 'done', detail: { labelId } };
  },
  *assign(running, { parameters }) {
    const {
      strategy,
      teamId,
      maxOpenChats = null,
    } = parameters as {
      strategy?: 'round_robin';
      teamId: string;
      maxOpenChats?: number;
    };
    if (strategy !== undefined) {
      const { detail } = yield* applyEffect(running, { kind: 'assign_in_turn', teamId, maxOpenChats });
      return { kind: 'done', detail: { teamId, strategy, ...detail } };
    }
    const change = parameters as { userId?: string | null; teamId?: string | null };
    yield* applyEffect(running, { kind: 'assign', change });
    return { kind: 'done', detail: { ...change } };
  },
  *set_chat_status(running, { parameters }) {
    const { status, snoozedUntil } = parameters as { status: string; snoozedUntil?: string };
    const change =
      snoozedUntil === undefined
        ? { status }
        : { status, snoozedUntil: (yield* time(running, snoozedUntil)).toISOString() };
    yield* applyEffect(running, { kind: 'set_chat_status', change });
    return { kind: 'done', detail: change };
  },
  *http_request(running, { parameters }, answered) {
    const {
      method,
      url,
      headers = {},
      body,
      saveAs = null,
      signWith,
    } = parameters as {
      method: string;
      url: string;
      headers?: Record<string, string>;
      body?: string;
      saveAs?: string;
      signWith?: string;
    };
    if (answered) {
      // Without headers and body, as they may contain credentials.
      const detail = { method, url: answered.url };
      if (answered.failure) return { kind: 'failed_step', failure: answered.failure, detail };
      const { saved } = answered;
      if (saveAs !== null) running.state.saved = save(running.state.saved, saveAs, saved);
      return { kind: 'done', detail: { ...detail, status: saved.status } };
    }
    const names = Object.keys(headers);
    const { secrets } = running;
    const texts = [...Object.values(headers), ...(body === undefined ? [] : [body])];
    const usesSecrets = signWith !== undefined || texts.some((text) => text.includes('secrets'));
    const address = usesSecrets ? renderAddress(running, url) : undefined;
    const [target = '', ...rest] = yield* renderAll(
      running,
      [address ?? url, ...texts],
      usesSecrets ? { secrets } : {},
    );
    const signingKey = signWith === undefined ? undefined : secrets[signWith];
    if (signWith !== undefined && signingKey === undefined)
      return {
        kind: 'failed_step',
        failure: { code: 'secret_missing', message: `There is no secret "${signWith}"` },
        detail: { method, url: target },
      };
    return {
      kind: 'call',
      detail: { method, url: target },
      call: {
        method,
        url: target,
        headers: Object.fromEntries(names.map((name, index) => [name, rest[index] as string])),
        body: rest[names.length] ?? null,
        saveAs,
        ...(signingKey === undefined ? {} : { signingKey }),
        usesSecrets,
      },
    };
  },
  subscribe: (running, step) => setSubscription(running, step, 'subscribed'),
  unsubscribe: (running, step) => setSubscription(running, step, 'unsubscribed'),
  end() {
    return { kind: 'done', detail: {}, next: null };
  },
};

/** Executes one step. */
export function* perform(
  running: Running,
  step: ProgramStep,
  answered: AnsweredCall | undefined,
): StepGenerator {
  try {
    const performed = performers[step.type](running, step, answered);
    return Symbol.iterator in performed ? yield* performed : performed;
  } catch (error) {
    if (error instanceof StepError)
      return { kind: 'failed_step', failure: { code: error.code, message: error.message } };
    const refused = error as EffectResult;
    if (typeof refused === 'object' && !refused.failure && refused.isPostponed) return { kind: 'postponed' };
    if (typeof refused === 'object' && refused.failure)
      return {
        kind: 'failed_step',
        failure: refused.failure,
        ...(refused.ends ? { ends: refused.ends } : {}),
      };
    throw error;
  }
}
