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
  if (explained.length === 0) return say('There are no automations.');
  const rows = explained.map(({ automationId, name, started, runId, continuedRunId, reasons }) => [
    short(name, 40),
    started ? 'started' : continuedRunId === null ? 'no' : 'went on',
    started
      ? `run ${runId}`
      : continuedRunId === null
        ? reasons.map(({ message }) => message).join('; ')
        : `The message was the reply for which run ${continuedRunId} waited`,
    automationId,
  ]);
  for (const line of tableLines(['AUTOMATION', 'STARTED', 'WHY', 'ID'], rows)) say(line);
}

/** An id may be that of an event or of a message. */
async function explain(target: Target, id: string, signal: AbortSignal): Promise<AutomationExplanation[]> {
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
