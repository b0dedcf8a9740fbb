import { createLoginLink } from '@parley/sdk';
import { ask } from './api.ts';
import { operatorFlags, operatorHelp, readOperatorTarget } from './operator-target.ts';
import { type CommandContext, readFlags, refuseArguments } from './options.ts';

const flags = { ...operatorFlags, email: { type: 'string' } } as const;

const help = `parley login-link: makes a link to log in with a browser. It works once, for a day.

  --email EMAIL        log in as the person with this address, whose two-factor login is switched off; without it, the
                       person who opens the link becomes an operator, and an owner of the first tenant
${operatorHelp}`;

/** `parley login-link`. */
export async function loginLink(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('login-link', args, flags);
  if (values.help) return say(help);
  refuseArguments('login-link', positionals);
  const target = await readOperatorTarget(values, env);
  const body = values.email === undefined ? {} : { email: values.email };
  const { url, expiresAt } = await ask(target, signal, (client, options) =>
    createLoginLink(client, { ...options, body }),
  );
  say(url);
  say(`It works once, until ${expiresAt}.`);
}
