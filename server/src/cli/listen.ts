import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../base/errors.ts';
import { ask, refusalIn } from './api.ts';
import { forwarder } from './forward.ts';
import { keptSecret, requireSecret, secretPath } from './listen-secret.ts';
import {
  readFlags,
  readTarget,
  readUrl,
  type Surroundings,
  type Target,
  targetFlags,
  targetHelp,
} from './options.ts';
import { readEvents, type ServerEvent } from './read-events.ts';
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

  --forward-to URL     where your program takes webhooks
${targetHelp}
  --types LIST         only these types, comma-separated: message.received, message.*
  --channel-ids LIST   only events of these channels, comma-separated
  --secret SECRET      sign with this instead of the secret that is kept for you

The token needs the scope events:read. Events come in order, one at a time. What your program does not take is shown
and not sent again. When the server goes away, listening goes on where it was once the server is back.`;

/** Three signs of life are missing: the connection is dead, whatever it looks like. */
const SILENCE_MS = 45_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/** `parley listen`: runs until it is stopped, or until the server says that it never will do. */
export async function listen(args: string[], { env, say, signal }: Surroundings): Promise<void> {
  const { values, positionals } = readFlags('listen', args, flags);
  if (values.help) return say(help);
  if (positionals.length > 0)
    throw new OperatorError(`listen takes no "${positionals[0]}". Try: parley listen --help`);
  if (!values['forward-to'])
    throw new OperatorError('Say where to: parley listen --forward-to http://localhost:4000/hook');
  const to = readUrl('--forward-to', values['forward-to']);
  const target = readTarget(values, env);
  const path = secretPath(env);
  const secret = values.secret === undefined ? await keptSecret(path) : requireSecret(values.secret);
  say(`Events of ${target.url} go to ${to}`);
  say(`Signing secret: ${secret}${values.secret === undefined ? ` (kept in ${path})` : ''}`);

  const query = new URLSearchParams();
  if (values.types) query.set('types', values.types);
  if (values['channel-ids']) query.set('channelIds', values['channel-ids']);
  const forward = forwarder(to, secret);
  await follow({ target, path: `/v3/events/stream?${query}`, say, signal }, async ({ data, type }) => {
    const { id, sequence } = JSON.parse(data) as { id: string; sequence: number };
    const since = performance.now();
    const outcome = await forward(id, data, signal);
    const time = new Date().toTimeString().slice(0, 8);
    const ms = Math.round(performance.now() - since);
    say(`${time}  ${type.padEnd(22)}  #${sequence}  ${outcome}  ${ms} ms`);
  });
}

interface Following {
  target: Target;
  path: string;
  say(line: string): void;
  signal: AbortSignal;
}

/** Follows a stream for ever, one event after the other, and after every break goes on where it was. */
async function follow(
  { target, path, say, signal }: Following,
  handle: (event: ServerEvent) => Promise<void>,
) {
  let last: string | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let isLost = false;
  while (!signal.aborted) {
    try {
      const answer = await open(target, path, last, signal);
      say(
        last === undefined
          ? 'Connected, waiting for events. Ctrl-C ends it.'
          : 'Connected again, nothing was missed.',
      );
      isLost = false;
      pauseMs = FIRST_PAUSE_MS;
      for await (const event of readEvents(answer)) {
        if (event.data !== '') await handle(event);
        last = event.id ?? last;
      }
      throw new Error('it ended the stream');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OperatorError) throw error;
      const reason = reasonOf(error);
      if (reason === 'ENOTFOUND' && last === undefined)
        throw new OperatorError(`There is no machine called "${new URL(target.url).hostname}". Check --url.`);
      if (!isLost) say(`The server at ${target.url} is out of reach (${reason}). Waiting for it…`);
      isLost = true;
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }
}

/** Answers after which the same question may well succeed. */
const PASSING = [429, 502, 503, 504];

async function open(
  target: Target,
  path: string,
  last: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
  const answer = await ask(target, path, { headers, signal, silenceMs: SILENCE_MS });
  if (answer.statusCode === 200 && answer.headers['content-type']?.startsWith('text/event-stream'))
    return answer;
  const refusal = await refusalIn(target, answer);
  throw PASSING.includes(answer.statusCode ?? 0) ? new Error(refusal.message) : refusal;
}
