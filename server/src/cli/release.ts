import { getHeldWork, releaseHeldWork } from '@parley/sdk';
import { ask } from './api.ts';
import { readOperatorToken } from './operator-token.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  refuseArguments,
  targetFlags,
  urlHelp,
} from './options.ts';

const flags = {
  ...targetFlags,
  'data-dir': { type: 'string' },
} as const;

const help = `parley release: releases the work that is held since a start with --after-restore.

${urlHelp}
  --token TOKEN        the operator's token; default: the variable PARLEY_ADMIN_TOKEN, or secrets.json of the data folder
  --data-dir DIR       the data folder; default: the variable PARLEY_DATA_DIR, or ./data

Everything that is held is done as soon as possible. GET /admin/held_work shows what that is.`;

/** `parley release`. */
export async function release(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('release', args, flags);
  if (values.help) return say(help);
  refuseArguments('release', positionals);
  const token = await readOperatorToken(values, env);
  const target = readTarget({ url: values.url, token }, env);
  const { heldSince, queues } = await ask(target, signal, getHeldWork);
  if (heldSince === null) return say('Nothing is held.');
  await ask(target, signal, releaseHeldWork);
  const released = queues.map(({ queue, held }) => `${held} in ${queue}`).join(', ');
  say(`Released what was held since ${heldSince}: ${released || 'nothing was due'}.`);
}
