import { getHeldWork, releaseHeldWork } from '@parley/sdk';
import { ask } from './api.ts';
import { operatorFlags, operatorHelp, readOperatorTarget } from './operator-target.ts';
import { type CommandContext, readFlags, refuseArguments } from './options.ts';

/** A large backlog is released in batches, before the server answers. */
const RELEASE_MS = 30 * 60_000;

const help = `parley release: releases the work that is held since a start with --after-restore.

${operatorHelp}

Everything that is held is done as soon as possible. GET /admin/held_work shows what that is.`;

/** `parley release`. */
export async function release(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('release', args, operatorFlags);
  if (values.help) return say(help);
  refuseArguments('release', positionals);
  const target = await readOperatorTarget(values, env);
  const { heldSince, queues } = await ask(target, signal, getHeldWork);
  if (heldSince === null) return say('Nothing is held.');
  await ask(target, signal, releaseHeldWork, RELEASE_MS);
  const released = queues.map(({ queue, held }) => `${held} in ${queue}`).join(', ');
  say(`Released what was held since ${heldSince}: ${released || 'nothing was due'}.`);
}
