import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../base/errors.ts';
import { callServer, errorIn } from './api.ts';
import { createForwarder } from './forward.ts';
import { readOrCreateSecret, requireSecret, secretPath } from './listen-secret.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  readUrl,
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

  --forward-to URL     the webhook URL of your program
${targetHelp}
  --types LIST         only these types, comma-separated: message.received, message.*
  --channel-ids LIST   only events of these channels, comma-separated
  --secret SECRET      sign with this instead of your stored secret

The token needs the scope events:read. Events are sent in order, one at a time. An event that your program does not
accept is shown and not sent again. After the connection to the server breaks, listening continues where it was.`;

/** Three heartbeats are missing: the connection is dead. */
const IDLE_TIMEOUT_MS = 45_000;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 2_000;

/** `parley listen`: runs until it is stopped, or until the server refuses for good. */
export async function listen(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('listen', args, flags);
  if (values.help) return say(help);
  if (positionals.length > 0)
    throw new OperatorError(`Unexpected argument "${positionals[0]}". Try: parley listen --help`);
  if (!values['forward-to'])
    throw new OperatorError(
      '--forward-to is required: parley listen --forward-to http://localhost:4000/hook',
    );
  const to = readUrl('--forward-to', values['forward-to']);
  const target = readTarget(values, env);
  const path = secretPath(env);
  const secret = values.secret === undefined ? await readOrCreateSecret(path) : requireSecret(values.secret);
  say(`Events of ${target.url} go to ${to}`);
  say(`Signing secret: ${secret}${values.secret === undefined ? ` (kept in ${path})` : ''}`);

  const query = new URLSearchParams();
  if (values.types) query.set('types', values.types);
  if (values['channel-ids']) query.set('channelIds', values['channel-ids']);
  const forward = createForwarder(to, secret);
  await follow(
    { target, path: `/v3/events/stream?${query}`, say, signal },
    async ({ id: position, data, type }) => {
      // Stream-only events are for screens: no webhook gets them.
      if (position === undefined) return;
      const { id, sequence } = JSON.parse(data) as { id: string; sequence: number };
      const since = performance.now();
      const outcome = await forward(id, data, signal);
      const time = new Date().toTimeString().slice(0, 8);
      const ms = Math.round(performance.now() - since);
      say(`${time}  ${type.padEnd(22)}  #${sequence}  ${outcome}  ${ms} ms`);
    },
  );
}

interface FollowOptions {
  target: Target;
  path: string;
  say(line: string): void;
  signal: AbortSignal;
}

/** Follows a stream until it is stopped, one event after the other, and continues after a broken connection. */
async function follow(
  { target, path, say, signal }: FollowOptions,
  handle: (event: ServerEvent) => Promise<void>,
) {
  let last: string | undefined;
  let delayMs = FIRST_DELAY_MS;
  let isLost = false;
  while (!signal.aborted) {
    try {
      const response = await openStream(target, path, last, signal);
      say(
        last === undefined
          ? 'Connected, waiting for events. Ctrl-C ends it.'
          : 'Connected again, nothing was missed.',
      );
      isLost = false;
      delayMs = FIRST_DELAY_MS;
      for await (const event of readEvents(response)) {
        if (event.data !== '') await handle(event);
        last = event.id ?? last;
      }
      throw new Error('it ended the stream');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OperatorError) throw error;
      const reason = reasonOf(error);
      if (reason === 'ENOTFOUND' && last === undefined)
        throw new OperatorError(`Unknown host "${new URL(target.url).hostname}". Check --url.`);
      if (!isLost) say(`The server at ${target.url} is unreachable (${reason}). Waiting for it…`);
      isLost = true;
      await delay(delayMs, undefined, { signal }).catch(() => {});
      delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
    }
  }
}

/** Statuses after which a retry may succeed. */
const TEMPORARY = [429, 502, 503, 504];

async function openStream(
  target: Target,
  path: string,
  last: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
  const response = await callServer(target, path, { headers, signal, idleTimeoutMs: IDLE_TIMEOUT_MS });
  if (response.statusCode === 200 && response.headers['content-type']?.startsWith('text/event-stream'))
    return response;
  const error = await errorIn(target, response);
  throw TEMPORARY.includes(response.statusCode ?? 0) ? new Error(error.message) : error;
}
