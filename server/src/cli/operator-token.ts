import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../base/errors.ts';

/** The operator's token: as given, from the variable, or from the data folder. */
export async function readOperatorToken(
  values: { token?: string | undefined; 'data-dir'?: string | undefined },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const folder = values['data-dir'] || env.PARLEY_DATA_DIR || './data';
  return values.token || env.PARLEY_ADMIN_TOKEN || readStoredToken(folder);
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
