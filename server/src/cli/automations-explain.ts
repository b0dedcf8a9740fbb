import { type AutomationExplanation, explainAutomations } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { ask, keyOf } from './api.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  requireArgument,
  resultFlags,
  resultHelp,
  type Target,
} from './options.ts';
import { jsonText, short, tableLines } from './text.ts';

const COMMAND = 'automations explain';

/** Why an automation does not start, in the words of `startReason` and `reason`. */
export const reasonTexts: Record<string, string> = {
  not_active: 'it was not active',
  published_later: 'it was published after the event',
  other_trigger: 'its trigger is for other events',
  triggers_off: 'the change was made without starting automations',
  unsubscribed: 'the message was an opt-out such as STOP',
  other_channel: 'its trigger is for another channel',
  automatic_mail: 'a machine wrote the message',
  no_keyword: 'the message has none of its keywords',
  other_label: 'another label was added',
  from_automation: 'a run caused the event, and its trigger has no fromAutomations',
  assigned_to_user: 'the chat was assigned to a user',
  paused: 'automations were paused in the chat',
  chain_too_deep: 'too many automations have started each other',
  missing_variables: 'a required variable has no value',
};

const help = `parley automations explain: says why automations started or did not.

  parley automations explain 019a82a0-0000-7000-8000-0000000000f0

The argument is the id of an event, or of a message of a contact.

${resultHelp}

The token needs the scope automations:read. Exit codes: 0 ok, 1 failed, 2 wrong usage.`;

/** `parley automations explain`. */
export async function automationsExplain(
  args: string[],
  { env, say, signal }: CommandContext,
): Promise<void> {
  const { values, positionals } = readFlags(COMMAND, args, resultFlags);
  if (values.help) return say(help);
  const id = requireArgument(COMMAND, 'The id of an event or message', positionals);
  const explained = await explain(readTarget(values, env), id, signal);
  if (values.json) return say(jsonText(explained));
  const { event, automations, isComplete } = explained;
  say(`${event.type} at ${event.createdAt} (event ${event.id})`);
  if (automations.length === 0) return say('There are no automations.');
  say('');
  const rows = automations.map(({ automationId, name, hasStarted, runId, continuedRunId, reason }) => [
    short(name, 40),
    hasStarted ? 'started' : continuedRunId === null ? 'no' : 'went on',
    reason === null
      ? `run ${runId}`
      : continuedRunId === null
        ? (reasonTexts[reason] ?? reason)
        : `the message was the reply for which run ${continuedRunId} waited`,
    automationId,
  ]);
  for (const line of tableLines(['AUTOMATION', 'STARTED', 'WHY', 'ID'], rows)) say(line);
  if (!isComplete) say('There are more automations than are shown.');
}

/** An id may be that of an event or of a message. */
async function explain(target: Target, id: string, signal: AbortSignal): Promise<AutomationExplanation> {
  const explainBy = (body: { eventId: string } | { messageId: string }) =>
    ask(target, signal, (client, options) => explainAutomations(client, { ...options, body }));
  try {
    return await explainBy({ eventId: id });
  } catch (error) {
    if (keyOf(error) !== 'event_not_found') throw error;
  }
  try {
    return await explainBy({ messageId: id });
  } catch (error) {
    if (keyOf(error) !== 'message_not_found') throw error;
    throw new OperatorError(
      `There is no event and no message ${id}. Events are kept for some weeks; find one with POST /v3/events/search.`,
    );
  }
}
