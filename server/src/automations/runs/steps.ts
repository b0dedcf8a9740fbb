import { DateTime, Duration } from 'luxon';
import { isUuid } from '../../base/ids.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { type Filter, listFields } from '../../search/grammar/filter.ts';
import { type ConditionValues, findTrue, needThread, valuesOf } from '../definition/evaluate-conditions.ts';
import type { StepType } from '../definition/steps.ts';
import { lookUp } from './context.ts';
import type { EvaluateInput } from './evaluate-task.ts';
import type { ProgramStep } from './program.ts';
import { renderContent, renderText, renderTime } from './render-texts.ts';
import { performRequest } from './request-step.ts';
import type { AnsweredCall, Effect, EffectResult, Outcome, RunContent, Running } from './state.ts';
import { applyEffect, type Performer, StepError, type StepGenerator } from './step-outcome.ts';

/** Adds a duration by the calendar in UTC: `P1M` is a month, whatever its length. */
const addDuration = (now: Date, duration: unknown): Date =>
  DateTime.fromJSDate(now, { zone: 'utc' })
    .plus(Duration.fromISO(duration as string))
    .toJSDate();

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

/** So many characters of a value are stored in a trace: an answer or a mail may have a thousand times as many. */
const MAX_SHOWN_CHARACTERS = 1_000;

function shortened(value: unknown): unknown {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN_CHARACTERS
    ? `${text.slice(0, MAX_SHOWN_CHARACTERS - 1).toWellFormed()}…`
    : value;
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

type SendParameters = Omit<RunContent, 'reaction'> & {
  channelId?: string;
  reaction?: { messageId?: string; emoji: string };
};

/** The id of a message from a rendered text. Undefined if that is empty. */
function messageIdOf(text: string | undefined, at: string): string | undefined {
  const id = text?.trim();
  if (!id) return undefined;
  if (!isUuid(id))
    throw new StepError('invalid_body_params', `${at}: Must be a UUID, received "${id.slice(0, 60)}"`);
  return id;
}

const performers: Record<StepType, Performer> = {
  *send_message(running, { parameters }) {
    const { channelId = null, ...templates } = parameters as SendParameters;
    const { reaction, replyToMessageId, ...rendered } = yield* renderContent(running, templates);
    const hasMore = reaction || Object.keys(rendered).some((part) => part !== 'type' && part !== 'text');
    if (!hasMore && !rendered.text?.trim())
      throw new StepError('empty_text', 'The rendered text is empty, and an empty message cannot be sent');
    const messageId = messageIdOf(reaction?.messageId, 'reaction.messageId') ?? running.context.message?.id;
    const repliedId = messageIdOf(replyToMessageId, 'replyToMessageId');
    if (reaction && messageId === undefined)
      throw new StepError('no_message', 'The run is about no message to which it could react');
    const content: RunContent = {
      ...rendered,
      ...(reaction && messageId !== undefined ? { reaction: { ...reaction, messageId } } : {}),
      ...(repliedId === undefined ? {} : { replyToMessageId: repliedId }),
    };
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
        ? yield* renderTime(running, parameters.until)
        : addDuration(running.now, parameters.for);
    const detail = { until: until.toISOString() };
    return until > running.now ? { kind: 'wait', until, forReply: false, detail } : { kind: 'done', detail };
  },
  *wait_for_reply(running, { parameters, next }) {
    const { pending } = running.state;
    const until = pending?.until ? new Date(pending.until) : addDuration(running.now, parameters.timeout);
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
        detail: { ...detail, reply: { messageId, text: shortened(context?.message?.text ?? null) } },
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
    const values = Object.fromEntries(
      evaluated.flatMap(listFields).map((field) => [field, shortened(compared[field])]),
    );
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
        : { status, snoozedUntil: (yield* renderTime(running, snoozedUntil)).toISOString() };
    yield* applyEffect(running, { kind: 'set_chat_status', change });
    return { kind: 'done', detail: change };
  },
  http_request: performRequest,
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
