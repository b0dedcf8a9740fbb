import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomSecret } from './crypto.ts';

export interface Secrets {
  secretKey: string;
  adminToken: string;
}

/** The installation's secrets: given by variables, else made once and kept in the data folder, readable by its owner only. */
export async function keepSecrets(
  dataDir: string,
  given: { secretKey: string | undefined; adminToken: string | undefined },
): Promise<Secrets> {
  const { secretKey, adminToken } = given;
  if (secretKey !== undefined && adminToken !== undefined) return { secretKey, adminToken };
  const path = join(dataDir, 'secrets.json');
  const fresh: Secrets = { secretKey: randomSecret(32), adminToken: randomSecret(32) };
  // Whoever comes first writes the file; everyone else reads what the first one wrote.
  await writeFile(path, `${JSON.stringify(fresh, null, 2)}\n`, {
    flag: 'wx',
    mode: 0o600,
    flush: true,
  }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const kept = JSON.parse(await readFile(path, 'utf8')) as Secrets;
  return { secretKey: secretKey ?? kept.secretKey, adminToken: adminToken ?? kept.adminToken };
}
