import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomSecret } from './crypto.ts';
import { OperatorError } from './errors.ts';
import { newId } from './ids.ts';

export interface Secrets {
  secretKey: string;
  adminToken: string;
}

/** The installation's secrets: from variables, or created once and stored in the data folder, readable by its owner only. */
export async function keepSecrets(
  dataDir: string,
  given: { secretKey: string | undefined; adminToken: string | undefined },
): Promise<Secrets> {
  const { secretKey, adminToken } = given;
  if (secretKey !== undefined && adminToken !== undefined) return { secretKey, adminToken };
  const path = join(dataDir, 'secrets.json');
  const stored = (await findSecrets(path)) ?? (await createSecrets(path)) ?? (await findSecrets(path));
  if (!stored) throw damaged(path);
  return { secretKey: secretKey ?? stored.secretKey, adminToken: adminToken ?? stored.adminToken };
}

const damaged = (path: string): OperatorError =>
  new OperatorError(
    `The file ${path} does not contain the secrets of this installation. Restore it from your backup, or set PARLEY_SECRET_KEY and PARLEY_ADMIN_TOKEN.`,
  );

async function findSecrets(path: string): Promise<Secrets | undefined> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (text === undefined) return undefined;
  try {
    const { secretKey, adminToken } = JSON.parse(text) as Partial<Secrets>;
    if (secretKey && adminToken) return { secretKey, adminToken };
  } catch {}
  throw damaged(path);
}

/** The first process creates the file; for the others this returns undefined. The link makes the file appear complete. */
async function createSecrets(path: string): Promise<Secrets | undefined> {
  const fresh: Secrets = { secretKey: randomSecret(32), adminToken: randomSecret(32) };
  const draft = `${path}.${newId()}`;
  try {
    await writeFile(draft, `${JSON.stringify(fresh, null, 2)}\n`, { mode: 0o600, flush: true });
    await link(draft, path);
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await unlink(draft).catch(() => {});
  }
}
