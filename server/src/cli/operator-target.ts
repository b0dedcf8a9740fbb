import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import { readTarget, type Target, targetFlags, urlHelp } from './options.ts';

/** The flags of commands of the operator. */
export const operatorFlags = { ...targetFlags, 'data-dir': { type: 'string' } } as const;
export const operatorHelp = `${urlHelp}
  --token TOKEN        the operator's token; default: the variable PARLEY_ADMIN_TOKEN, or secrets.json of the data folder
  --data-dir DIR       the data folder; default: the variable PARLEY_DATA_DIR, or ./data`;

interface OperatorValues {
  url?: string | undefined;
  token?: string | undefined;
  'data-dir'?: string | undefined;
}

/** The server, and the operator's token: as given, from the variable, or from the data folder. */
export async function readOperatorTarget(values: OperatorValues, env: NodeJS.ProcessEnv): Promise<Target> {
  const folder = values['data-dir'] || env.PARLEY_DATA_DIR || './data';
  const token = values.token || env.PARLEY_ADMIN_TOKEN || (await readStoredToken(folder));
  return { ...readTarget({ url: values.url, token }, env), isOperator: true };
}

async function readStoredToken(folder: string): Promise<string> {
  try {
    const { adminToken } = JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8'));
    if (typeof adminToken !== 'string') throw new TypeError('no token');
    return adminToken;
  } catch {
    throw new OperatorError(
      "The operator's token is required: put it into the variable PARLEY_ADMIN_TOKEN, or name the data folder with --data-dir.",
    );
  }
}
