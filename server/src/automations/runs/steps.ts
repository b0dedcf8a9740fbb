import { DateTime, Duration } from 'luxon';
import { isDateTime } from '../../http/validation.ts';
import { evaluateFilter } from '../../search/evaluate.ts';
import { listFields } from '../../search/grammar/filter.ts';
import { render } from '../definition/liquid.ts';
import type { StepType } from '../definition/steps.ts';
import { lookUp } from './context.ts';
import type { ProgramStep } from './program.ts';
import type { Effect, EffectResult, Outcome, OutsideAnswer, Running } from './state.ts';

type StepGenerator = Generator<Effect, Outcome, EffectResult>;
type Performer = (
  running: Running,
  step: ProgramStep,
  answered: OutsideAnswer | undefined,
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

function text(running: Running, template: unknown): string {
  const { text: rendered, issue } = render(template as string, running.scope());
  if (rendered === undefined) throw new StepError('liquid_error', `The text could not be rendered: ${issue}`);
  return rendered;
}

function time(running: Running, template: unknown): Date {
  const rendered = text(running, template).trim();
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
  if (result.failure) throw result;
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
    const rendered = template === undefined ? null : text(running, template);
    const attached =
      media === undefined ? null : media.url === undefined ? media : { url: text(running, media.url) };
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
    const templateId = running.state.templateId ?? (parameters.templateId as string);
    running.state.templateId = null;
    const variables = Object.fromEntries(
      Object.entries(given).map(([name, template]) => [name, text(running, template)]),
    );
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
  wait(running, { parameters }) {
    const { pending } = running.state;
    const until = pending?.until
      ? new Date(pending.until)
      : parameters.for === undefined
        ? time(running, parameters.until)
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
  branch(running, { parameters, conditions, next }) {
    const cases = parameters.cases as { when: string; next: string }[];
    const scope = running.scope();
    const index = conditions.findIndex((filter) => evaluateFilter(filter, (name) => lookUp(scope, name)));
    // The trace shows the values of every condition that was evaluated.
    const evaluated = index < 0 ? conditions : conditions.slice(0, index + 1);
    const values = Object.fromEntries(
      evaluated.flatMap(listFields).map((field) => [field, lookUp(scope, field) ?? null]),
    );
    const chosen = cases[index];
    if (chosen)
      return { kind: 'done', detail: { case: index, when: chosen.when, values }, next: chosen.next };
    const otherwise = (parameters.else as string | undefined) ?? next;
    return { kind: 'done', detail: { case: null, values }, next: otherwise };
  },
  *set_attribute(running, { parameters }) {
    const { externalId } = parameters as { externalId: string };
    const value = text(running, parameters.value);
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
        : { status, snoozedUntil: time(running, snoozedUntil).toISOString() };
    yield* applyEffect(running, { kind: 'set_chat_status', change });
    return { kind: 'done', detail: change };
  },
  http_request(running, { parameters }, answered) {
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
    const target = text(running, url);
    // Without headers and body, as they may contain credentials.
    const detail = { method, url: target };
    if (answered?.failure) return { kind: 'failed_step', failure: answered.failure, detail };
    if (answered?.saved) {
      const { saved } = answered;
      if (saveAs !== null) running.state.saved = { ...running.state.saved, [saveAs]: saved };
      return { kind: 'done', detail: { ...detail, status: saved.status } };
    }
    const filled = Object.entries(headers).map(([name, value]) => [name, text(running, value)]);
    return {
      kind: 'call',
      detail,
      call: {
        method,
        url: target,
        headers: Object.fromEntries(filled),
        body: body === undefined ? null : text(running, body),
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
  answered: OutsideAnswer | undefined,
): StepGenerator {
  try {
    const performed = performers[step.type](running, step, answered);
    return Symbol.iterator in performed ? yield* performed : performed;
  } catch (error) {
    if (error instanceof StepError)
      return { kind: 'failed_step', failure: { code: error.code, message: error.message } };
    const refused = error as EffectResult;
    if (typeof refused === 'object' && refused.failure)
      return {
        kind: 'failed_step',
        failure: refused.failure,
        ...(refused.ends ? { ends: refused.ends } : {}),
      };
    throw error;
  }
}
