import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import { call } from './api.ts';
import { type CommandContext, readFlags, readTarget, targetFlags } from './options.ts';

const flags = {
  ...targetFlags,
  'data-dir': { type: 'string' },
} as const;

const help = `parley release: releases the work that is held since a start with --after-restore.

  --url URL            the server (default ${targetFlags.url.default})
  --token TOKEN        the operator's token; default: the variable PARLEY_ADMIN_TOKEN, or secrets.json of the data folder
  --data-dir DIR       the data folder; default: the variable PARLEY_DATA_DIR, or ./data

Everything that is held is done as soon as possible. GET /admin/held_work shows what that is.`;

interface HeldWork {
  heldSince: string | null;
  queues: { queue: string; held: number }[];
}

/** `parley release`. */
export async function release(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('release', args, flags);
  if (values.help) return say(help);
  if (positionals.length > 0)
    throw new OperatorError(`Unexpected argument "${positionals[0]}". Try: parley release --help`);
  const folder = values['data-dir'] || env.PARLEY_DATA_DIR || './data';
  const token = values.token || env.PARLEY_ADMIN_TOKEN || (await readStoredToken(folder));
  const target = readTarget({ url: values.url, token }, {});
  const { heldSince, queues } = await call<HeldWork>(target, '/admin/held_work', { signal });
  if (heldSince === null) return say('Nothing is held.');
  await call(target, '/admin/held_work/release', { body: {}, signal });
  const released = queues.map(({ queue, held }) => `${held} in ${queue}`).join(', ');
  say(`Released what was held since ${heldSince}: ${released || 'nothing was due'}.`);
}

async function readStoredToken(folder: string): Promise<string> {
  try {
    return JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8')).adminToken;
  } catch {
    throw new OperatorError(
      "The operator's token is required: put it into the variable PARLEY_ADMIN_TOKEN, or name the data folder with --data-dir.",
    );
  }
}
