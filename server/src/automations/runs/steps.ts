import { DateTime, Duration } from 'luxon';
import { isDateTime } from '../../http/validation.ts';
import { type Filter, listFields } from '../../search/grammar/filter.ts';
import { type ConditionValues, findTrue, needThread, valuesOf } from '../definition/evaluate-conditions.ts';
import { type Rendered, renderSimple } from '../definition/liquid.ts';
import type { StepType } from '../definition/steps.ts';
import { lookUp, type Saved } from './context.ts';
import type { EvaluateInput } from './evaluate-task.ts';
import type { ProgramStep } from './program.ts';
import type { AnsweredCall, Effect, EffectResult, Outcome, Running } from './state.ts';

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
): Generator<Effect, string[], EffectResult> {
  const scope = running.scope();
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

function* renderText(running: Running, template: unknown): Generator<Effect, string, EffectResult> {
  const [text] = yield* renderAll(running, [template as string]);
  return text as string;
}

/** Renders texts by name. */
function* renderEntries(
  running: Running,
  templates: Readonly<Record<string, string>>,
): Generator<Effect, Record<string, string>, EffectResult> {
  const texts = yield* renderAll(running, Object.values(templates));
  return Object.fromEntries(Object.keys(templates).map((name, index) => [name, texts[index] as string]));
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
  const { messageId } = yield* applyEffect(running, effect);
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

const performers: Record<StepType, Performer> = {
  *send_message(running, { parameters }) {
    const {
      text: template,
      media,
      channelId = null,
    } = parameters as {
      text?: string;
      media?: { fileId?: string; url?: string };
      channelId?: string;
    };
    const texts = yield* renderEntries(running, {
      ...(template === undefined ? {} : { text: template }),
      ...(media?.url === undefined ? {} : { url: media.url }),
    });
    const rendered = texts.text ?? null;
    const attached = texts.url === undefined ? (media ?? null) : { url: texts.url };
    if (rendered !== null && rendered.trim() === '' && attached === null)
      throw new StepError('empty_text', 'The rendered text is empty, and an empty message cannot be sent');
    return yield* send(
      running,
      {
        kind: 'send',
        number: running.state.begun,
        channelId,
        text: rendered,
        media: attached,
        template: null,
      },
      { ...(rendered === null ? {} : { text: rendered }), ...(attached === null ? {} : { media: attached }) },
    );
  },
  *send_template(running, { parameters }) {
    const given = (parameters.variables ?? {}) as Record<string, string>;
    const variables = yield* renderEntries(running, given);
    const templateId = running.state.templateId ?? (parameters.templateId as string);
    running.state.templateId = null;
    return yield* send(
      running,
      {
        kind: 'send',
        number: running.state.begun,
        channelId: null,
        text: null,
        media: null,
        template: { templateId, variables },
      },
      { templateId, variables },
    );
  },
  *wait(running, { parameters }) {
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
    } = parameters as {
      method: string;
      url: string;
      headers?: Record<string, string>;
      body?: string;
      saveAs?: string;
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
    const [target = '', ...rest] = yield* renderAll(running, [
      url,
      ...Object.values(headers),
      ...(body === undefined ? [] : [body]),
    ]);
    return {
      kind: 'call',
      detail: { method, url: target },
      call: {
        method,
        url: target,
        headers: Object.fromEntries(names.map((name, index) => [name, rest[index] as string])),
        body: rest[names.length] ?? null,
        saveAs,
      },
    };
  },
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
