import { randomBytes } from 'node:crypto';
import { type Channel, createChannel, getChannel, searchChannels, writeInSandbox } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { ask } from './api.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  type Target,
  targetFlags,
  targetHelp,
  UsageError,
} from './options.ts';

/** The events that the sandbox can cause, and whether they need a customer who has not written before. */
const triggers: Record<string, { summary: string; byNewCustomer: boolean }> = {
  'message.received': { summary: 'a customer writes', byNewCustomer: false },
  'chat.created': { summary: 'a new customer writes, and a chat is created', byNewCustomer: true },
  'contact.created': { summary: 'a new customer writes, and a contact is created', byNewCustomer: true },
};

/** A customer on each kind of channel: a known one, and a new one. */
const customers: Record<string, { known: string; create: () => string }> = {
  whatsapp: { known: '+15550001111', create: () => `+1555${randomDigits()}` },
  sms: { known: '+15550001111', create: () => `+1555${randomDigits()}` },
  email: { known: 'ada@example.com', create: () => `ada.${randomDigits()}@example.com` },
  instagram: { known: 'ada.lovelace', create: () => `ada.${randomDigits()}` },
};
const randomDigits = (): string => String(1_000_000 + (randomBytes(4).readUInt32BE() % 9_000_000));

const flags = {
  ...targetFlags,
  channel: { type: 'string' },
  from: { type: 'string' },
  text: { type: 'string', default: 'Hello from parley trigger' },
} as const;

const help = `parley trigger: causes an event in the sandbox, through the API.

  parley trigger message.received --text 'Is this still available?'

What can be triggered
${Object.entries(triggers)
  .map(([type, { summary }]) => `  ${type.padEnd(19)}  ${summary}`)
  .join('\n')}

  --channel ID         a sandbox channel (default: the tenant's first; created if there is none)
  --from CUSTOMER      who writes: a phone number, email address or Instagram id
  --text TEXT          what they write (default "${flags.text.default}")
${targetHelp}

The token needs the scopes channels:read and channels:write.`;

/** `parley trigger`: causes one event and prints what it did. */
export async function trigger(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('trigger', args, flags);
  if (values.help) return say(help);
  const [type, ...more] = positionals;
  const chosen = type !== undefined && Object.hasOwn(triggers, type) ? triggers[type] : undefined;
  if (!chosen || more.length > 0)
    throw new UsageError(
      `${type === undefined ? 'An event type is required' : `"${positionals.join(' ')}" cannot be triggered`}. There are ${Object.keys(triggers).join(', ')}; try: parley trigger message.received`,
    );
  const target = readTarget(values, env);
  const channel = await chooseChannel(target, values.channel, signal);
  const customer = customers[channel.kind] ?? (customers.whatsapp as (typeof customers)[string]);
  const from = values.from ?? (chosen.byNewCustomer ? customer.create() : customer.known);
  await ask(target, signal, (client, options) =>
    writeInSandbox(client, {
      ...options,
      path: { channelId: channel.id },
      body: { from, text: values.text },
    }),
  );
  say(`Wrote "${values.text}" as ${from} to the channel "${channel.name}" (${channel.id}).`);
  say(`The event ${type} follows shortly: parley listen and your webhooks receive it.`);
}

async function chooseChannel(target: Target, id: string | undefined, signal: AbortSignal): Promise<Channel> {
  if (id !== undefined) {
    const channel = await ask(target, signal, (client, options) =>
      getChannel(client, { ...options, path: { channelId: id } }),
    );
    if (channel.provider === 'sandbox') return channel;
    throw new OperatorError(
      `The channel "${channel.name}" is not in the sandbox (${channel.provider}). Give the id of a sandbox channel, or none.`,
    );
  }
  return ask(target, signal, async (client, options) => {
    const body = { query: 'eq(provider,"sandbox")', sortBy: 'asc(createdAt)', pagination: { limit: 1 } };
    const { items } = await searchChannels(client, { ...options, body });
    const trigger = {
      kind: 'whatsapp',
      provider: 'sandbox',
      name: 'trigger',
      address: '+15550009999',
    } as const;
    return items[0] ?? createChannel(client, { ...options, body: trigger });
  });
}
