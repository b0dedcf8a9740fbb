import { createLoginLink } from '@parley/sdk';
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
  email: { type: 'string' },
} as const;

const help = `parley login-link: makes a link to log in with a browser. It works once, for a day.

  --email EMAIL        log in as the person with this address, whose two-factor login is switched off; without it, the
                       person who opens the link becomes an operator, and an owner of the first tenant
${urlHelp}
  --token TOKEN        the operator's token; default: the variable PARLEY_ADMIN_TOKEN, or secrets.json of the data folder
  --data-dir DIR       the data folder; default: the variable PARLEY_DATA_DIR, or ./data`;

/** `parley login-link`. */
export async function loginLink(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('login-link', args, flags);
  if (values.help) return say(help);
  refuseArguments('login-link', positionals);
  const token = await readOperatorToken(values, env);
  const target = readTarget({ url: values.url, token }, env);
  const body = values.email === undefined ? {} : { email: values.email };
  const { url, expiresAt } = await ask(target, signal, (client, options) =>
    createLoginLink(client, { ...options, body }),
  );
  say(url);
  say(`It works once, until ${expiresAt}.`);
}
