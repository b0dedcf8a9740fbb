import type { Message } from '../../messages/schema.ts';
import type { AutomationRunWithTrace, Definition } from '../schema.ts';
import type { DryRun } from './schema.ts';

type RunEntry = AutomationRunWithTrace['trace'][number];
type DryRunEntry = DryRun['trace'][number];
type SentMessage = Pick<
  DryRun['messages'][number],
  'channelId' | 'chatId' | 'type' | 'text' | 'media' | 'content'
>;

/** A call that a step would make, with the answer that it got here. */
export interface SimulatedCall {
  /** Without the parts that may contain secrets. */
  request: {
    method: string;
    url: string;
    headers: Record<string, string> | null;
    body: string | null;
    usesSecrets: boolean;
  };
  response: { status: number; body: unknown };
  /** Whether the response is the default one, because none was given. */
  isAssumed: boolean;
}

interface Executed {
  definition: Definition;
  trace: readonly RunEntry[];
  /** By the numbers of their steps. */
  sent: ReadonlyMap<number, Message>;
  calls: ReadonlyMap<number, SimulatedCall>;
  /** The chats that there were before. */
  knownChatIds: ReadonlySet<string>;
}

/** Values in one line, such as `message.text = "yes"`. */
const listValues = (values: unknown): string =>
  Object.entries((values ?? {}) as Record<string, unknown>)
    .map(([name, value]) => `${name} = ${JSON.stringify(value ?? null)}`)
    .join(', ');

function whyOfBranch({ when, values }: Record<string, unknown>): string {
  const compared = listValues(values);
  return `${when === undefined ? 'No case is true' : `${when} is true`}${compared === '' ? '' : `: ${compared}`}`;
}

/** What decided about a step, or how the run came to it. */
function whyOf(
  { type, detail, error, startedAt }: RunEntry,
  call: SimulatedCall | undefined,
  before: RunEntry | undefined,
): string {
  if (error) return error.message;
  if (detail.quietUntil !== undefined) return `Quiet hours: it waits until ${detail.quietUntil}`;
  if (type === 'branch') return whyOfBranch(detail);
  const until = (detail.until ?? detail.opensAt) as string | undefined;
  if (type === 'wait')
    return until !== undefined && until > startedAt
      ? `It waits until ${until}`
      : 'It does not wait: the time has come';
  if (type === 'wait_for_reply') {
    if (detail.reply !== undefined) return 'The contact replied';
    return detail.timedOut === true ? `No reply came until ${until}` : `It waits for a reply until ${until}`;
  }
  if (call)
    return call.isAssumed
      ? 'The call is not made; no response was given for this step, so that 200 {} is assumed'
      : 'The call is not made; this is the response that was given';
  return before ? `The step ${before.step} leads to it` : 'It is the first step';
}

/** The steps of a run that was simulated, and what they would send. */
export function presentSteps({ definition, trace, sent, calls, knownChatIds }: Executed) {
  const parameters = new Map(definition.steps.map((step) => [step.id, step.parameters ?? {}]));
  const messages: DryRun['messages'] = [];
  const entries = trace.map((entry, index): DryRunEntry => {
    const { detail, startedAt: at, ...rest } = entry;
    const message = sent.get(entry.number);
    const call = calls.get(entry.number);
    const shown = message && presentSent(message, knownChatIds);
    if (shown) messages.push({ ...shown, step: entry.step, at: entry.endedAt ?? at });
    return {
      ...rest,
      at,
      input: call ? call.request : (parameters.get(entry.step) ?? {}),
      output: shown ?? call?.response ?? detail,
      why: whyOf(entry, call, trace[index - 1]),
      isAssumed: call ? call.isAssumed : null,
    };
  });
  return { trace: entries, messages };
}

/** A chat that would be created has no id. */
const presentSent = (
  { channelId, chatId, type, text, media, content }: Message,
  knownChatIds: ReadonlySet<string>,
): SentMessage => ({
  channelId,
  chatId: knownChatIds.has(chatId) ? chatId : null,
  type,
  text,
  media,
  content,
});
