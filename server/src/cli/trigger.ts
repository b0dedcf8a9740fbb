import { randomBytes } from 'node:crypto';
import { OperatorError } from '../base/errors.ts';
import { call } from './api.ts';
import { readFlags, readTarget, type Surroundings, type Target, targetFlags, targetHelp } from './options.ts';

/** What the sandbox can make happen today, and whether it takes somebody who has never written before. */
const triggers: Record<string, { summary: string; byUnknownSender: boolean }> = {
  'message.received': { summary: 'a person writes', byUnknownSender: false },
  'chat.created': { summary: 'someone new writes, and a chat begins', byUnknownSender: true },
  'contact.created': { summary: 'someone new writes, and becomes a contact', byUnknownSender: true },
};

/** A person on each kind of channel: the one that is known, and somebody new. */
const people: Record<string, { known: string; stranger: () => string }> = {
  whatsapp: { known: '+15550001111', stranger: () => `+1555${randomDigits()}` },
  sms: { known: '+15550001111', stranger: () => `+1555${randomDigits()}` },
  email: { known: 'ada@example.com', stranger: () => `ada.${randomDigits()}@example.com` },
  instagram: { known: 'ada.lovelace', stranger: () => `ada.${randomDigits()}` },
};
const randomDigits = (): string => String(1_000_000 + (randomBytes(4).readUInt32BE() % 9_000_000));

const flags = {
  ...targetFlags,
  channel: { type: 'string' },
  from: { type: 'string' },
  text: { type: 'string', default: 'Hello from parley trigger' },
} as const;

const help = `parley trigger: makes something happen in the sandbox, through the API.

  parley trigger message.received --text 'Is this still available?'

What can be triggered
${Object.entries(triggers)
  .map(([type, { summary }]) => `  ${type.padEnd(19)}  ${summary}`)
  .join('\n')}

  --channel ID         a sandbox channel (default: the tenant's first; one is made where there is none)
  --from PERSON        who writes: a phone number, email address or Instagram id
  --text TEXT          what they write (default "${flags.text.default}")
${targetHelp}

The token needs the scopes channels:read and channels:write.`;

interface Channel {
  id: string;
  kind: string;
  provider: string;
  name: string;
}

/** `parley trigger`: does one thing and says what it did. */
export async function trigger(args: string[], { env, say, signal }: Surroundings): Promise<void> {
  const { values, positionals } = readFlags('trigger', args, flags);
  if (values.help) return say(help);
  const [type, ...more] = positionals;
  const chosen = type !== undefined && Object.hasOwn(triggers, type) ? triggers[type] : undefined;
  if (!chosen || more.length > 0)
    throw new OperatorError(
      `${type === undefined ? 'Say what' : `"${positionals.join(' ')}" cannot be triggered`}. There are ${Object.keys(triggers).join(', ')}; try: parley trigger message.received`,
    );
  const target = readTarget(values, env);
  const channel = await chooseChannel(target, values.channel, signal);
  const person = people[channel.kind] ?? (people.whatsapp as (typeof people)[string]);
  const from = values.from ?? (chosen.byUnknownSender ? person.stranger() : person.known);
  await call(target, `/v3/sandbox/${channel.id}/inbound`, {
    body: { from, text: values.text },
    signal,
  });
  say(`Wrote "${values.text}" as ${from} to the channel "${channel.name}" (${channel.id}).`);
  say(`The event ${type} follows at once: parley listen and your webhooks get it.`);
}

async function chooseChannel(target: Target, id: string | undefined, signal: AbortSignal): Promise<Channel> {
  if (id !== undefined) {
    const channel = await call<Channel>(target, `/v3/channels/${encodeURIComponent(id)}`, { signal });
    if (channel.provider === 'sandbox') return channel;
    throw new OperatorError(
      `The channel "${channel.name}" is a real one (${channel.provider}), and nobody writes there by a command. Name a sandbox channel, or none.`,
    );
  }
  const body = { query: 'eq(provider,"sandbox")', sortBy: 'asc(createdAt)', pagination: { limit: 1 } };
  const [first] = await call<Channel[]>(target, '/v3/channels/search', { body, signal });
  return (
    first ??
    (await call<Channel>(target, '/v3/channels', {
      body: { kind: 'whatsapp', provider: 'sandbox', name: 'trigger', address: '+15550009999' },
      signal,
    }))
  );
}
