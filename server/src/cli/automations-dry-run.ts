import {
  type AutomationDryRun,
  type DryRunAutomationBody,
  dryRunAutomation,
  searchContacts,
} from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { ask } from './api.ts';
import { readJsonFile } from './json-file.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  requireArgument,
  resultFlags,
  resultHelp,
  type Target,
  UsageError,
} from './options.ts';
import { jsonText, plain, short } from './text.ts';

const COMMAND = 'automations dry-run';

const flags = {
  ...resultFlags,
  contact: { type: 'string' },
  message: { type: 'string' },
  reply: { type: 'string', multiple: true },
  variable: { type: 'string', multiple: true },
  definition: { type: 'string' },
  at: { type: 'string' },
} as const;

const help = `parley automations dry-run: shows what a run of an automation would do. Nothing is sent or stored.

  parley automations dry-run 019a… --contact +15550001111 --message 'Hello' --reply 'Yes' --reply ''

  --contact CONTACT    the id, phone number or email address of a contact; required
  --message TEXT       what the contact writes to start it
  --reply TEXT         what the contact answers to a question; may be repeated, '' is no answer
  --variable NAME=JSON a variable of the run; may be repeated. What is not JSON is a text
  --definition FILE    a definition that is not saved, as JSON, instead of the latest version
  --at TIME            when the run begins, such as 2026-12-24T18:00:00Z; default: now
${resultHelp}

The token needs the scopes automations:read, contacts:read, chats:read and messages:read.
Exit codes: 0 the run would be completed, 1 it would not start or not be completed, 2 wrong usage.`;

/** `parley automations dry-run`. */
export async function automationsDryRun(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags(COMMAND, args, flags);
  if (values.help) return say(help);
  const automationId = requireArgument(COMMAND, 'The id of an automation', positionals);
  const { contact, message, reply, variable, definition, at } = values;
  if (!contact) throw new UsageError(`--contact is required. Try: parley ${COMMAND} --help`);
  const variables = Object.fromEntries((variable ?? []).map(readVariable));
  const target = readTarget(values, env);
  const body = {
    contactId: await findContactId(target, contact, signal),
    ...(message !== undefined && { message: { text: message } }),
    ...(reply && { replies: reply.map((text) => (text === '' ? {} : { text })) }),
    ...(variable && { variables }),
    ...(definition !== undefined && { definition: await readJsonFile(definition) }),
    ...(at !== undefined && { at }),
  } as DryRunAutomationBody;
  const result = await ask(target, signal, (client, options) =>
    dryRunAutomation(client, { ...options, path: { automationId }, body }),
  );
  if (values.json) say(jsonText(result));
  else for (const line of describe(result)) say(line);
  if (result.status !== 'completed' || result.startReason !== null) process.exitCode = 1;
}

function readVariable(text: string): [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--variable must be NAME=VALUE, not "${text}".`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}

async function findContactId(target: Target, contact: string, signal: AbortSignal): Promise<string> {
  if (isUuid(contact)) return contact;
  const text = JSON.stringify(contact);
  const query = contact.includes('@') ? `eq(email,${text})` : `eq(phoneNumber,${text})`;
  const { items } = await ask(target, signal, (client, options) =>
    searchContacts(client, { ...options, body: { query, pagination: { limit: 1 } } }),
  );
  if (!items[0])
    throw new OperatorError(
      `There is no contact ${contact}. Give an id, an email address, or a phone number with + and country code.`,
    );
  return items[0].id;
}

const stoppedTexts = {
  too_many_steps: 'after 300 steps',
  too_slow: 'because it took too long',
} as const;

function describe(result: AutomationDryRun): string[] {
  const { startReason, status, stoppedBy, error, trace, changes, startedAt, endedAt } = result;
  return [
    ...(startReason === null ? [] : [`It would not start. ${startReason.message}.`, '']),
    ...trace.flatMap(describeStep),
    ...(changes.length === 0 ? [] : ['', 'What would change']),
    ...changes.map(({ field, from, to }) => `  ${plain(field)}: ${short(from ?? '–')} → ${short(to ?? '–')}`),
    '',
    `The run would ${status === 'stopped' ? 'go on; the dry run stopped' : `be ${status}`}${stoppedBy === null ? '' : ` ${stoppedTexts[stoppedBy]}`}: ${trace.length} steps from ${startedAt} to ${endedAt}.`,
    ...(error === null ? [] : [`${error.code}: ${plain(error.message)}`]),
  ];
}

/** A step, and below it what it would do. */
function describeStep({
  number,
  step,
  type,
  status,
  at,
  input,
  output,
  why,
  error,
  isAssumed,
}: AutomationDryRun['trace'][number]): string[] {
  return [
    `${String(number).padStart(3)}  ${at.slice(0, 19)}  ${type.padEnd(16)} ${short(step, 40)}${status === 'completed' ? '' : `  ${status}`}`,
    ...(error
      ? [`     ${error.code}: ${plain(error.message)}`]
      : [...describeOutput(type, input, output, isAssumed !== null), `     ${short(why, 200)}`]),
  ];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function describeOutput(
  type: string,
  input: Record<string, unknown>,
  output: Record<string, unknown>,
  isCall: boolean,
): string[] {
  if (isCall)
    return [`     calls ${textOf(input.method)} ${short(textOf(input.url), 200)} → ${textOf(output.status)}`];
  if (type.startsWith('send_') && output.type !== undefined)
    return [`     sends ${textOf(output.type)}: ${short(textOf(output.text ?? output.content), 200)}`];
  return Object.entries(output)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `     ${name}: ${short(textOf(value), 120)}`);
}
