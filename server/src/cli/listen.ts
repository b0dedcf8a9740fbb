import { ParleyError, type StreamOptions, type StreamState, streamEvents } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { clientOf, operatorError } from './api.ts';
import { createForwarder } from './forward.ts';
import { readOrCreateSecret, requireSecret, secretPath } from './listen-secret.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  readUrl,
  refuseArguments,
  type Target,
  targetFlags,
  targetHelp,
  UsageError,
} from './options.ts';
import { reasonOf } from './send.ts';

const flags = {
  ...targetFlags,
  'forward-to': { type: 'string' },
  types: { type: 'string' },
  'channel-ids': { type: 'string' },
  secret: { type: 'string' },
} as const;

const help = `parley listen: sends the events of a tenant to a program on this machine, signed as webhooks are.

  parley listen --forward-to http://localhost:4000/hook

  --forward-to URL     the webhook URL of your program
${targetHelp}
  --types LIST         only these types, comma-separated: message.received, message.*
  --channel-ids LIST   only events of these channels, comma-separated
  --secret SECRET      sign with this instead of your stored secret

The token needs the scope events:read. Events are sent in order, one at a time. An event that your program does not
accept is shown and not sent again. After the connection to the server breaks, listening continues where it was.`;

/** `parley listen`: runs until it is stopped, or until the server refuses for good. */
export async function listen(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('listen', args, flags);
  if (values.help) return say(help);
  refuseArguments('listen', positionals);
  if (!values['forward-to'])
    throw new UsageError('--forward-to is required: parley listen --forward-to http://localhost:4000/hook');
  const to = readUrl('--forward-to', values['forward-to']);
  const target = readTarget(values, env);
  const path = secretPath(env);
  const secret = values.secret === undefined ? await readOrCreateSecret(path) : requireSecret(values.secret);
  say(`Events of ${target.url} go to ${to}`);
  say(`Signing secret: ${secret}${values.secret === undefined ? ` (kept in ${path})` : ''}`);

  const forward = createForwarder(to, secret);
  const listOf = (text: string | undefined) => text?.split(',') as `${string}*`[] | undefined;
  const stream = streamEvents(clientOf(target), {
    types: listOf(values.types),
    channelIds: listOf(values['channel-ids']),
    signal,
    onState: stateTeller(target, say),
  } satisfies StreamOptions);
  try {
    for await (const { id, type, sequence } of stream) {
      // Webhooks do not get what is not stored.
      if (sequence === null) continue;
      const since = performance.now();
      const outcome = await forward(id, stream.lastText as string, signal);
      const time = new Date().toTimeString().slice(0, 8);
      const ms = Math.round(performance.now() - since);
      say(`${time}  ${type.padEnd(22)}  #${sequence}  ${outcome}  ${ms} ms`);
    }
  } catch (error) {
    // Being stopped is how listening ends, also while an event is on its way to the program.
    if (signal.aborted) return;
    throw error instanceof ParleyError ? operatorError(target, error) : error;
  }
}

/** Tells when the connection is there, lost, and there again. */
function stateTeller({ url }: Target, say: (line: string) => void): (state: StreamState) => void {
  let wasOpen = false;
  let isLost = false;
  return (state) => {
    if (state.state === 'open') {
      say(
        wasOpen ? 'Connected again, nothing was missed.' : 'Connected, waiting for events. Ctrl-C ends it.',
      );
      wasOpen = true;
      isLost = false;
    }
    if (state.state !== 'reconnecting') return;
    const reason = reasonOf(state.error);
    if (reason === 'ENOTFOUND' && !wasOpen)
      throw new OperatorError(`Unknown host "${new URL(url).hostname}". Check --url.`);
    if (!isLost) say(`The server at ${url} is unreachable (${reason}). Waiting for it…`);
    isLost = true;
  };
}
