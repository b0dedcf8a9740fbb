import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import { UsageError } from './options.ts';

/** As in Standard Webhooks: 24 to 64 bytes in base64. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;
const SECRET_BYTES = 24;

export function requireSecret(secret: string): string {
  if (!SECRET.test(secret))
    throw new UsageError('--secret must be a secret as parley listen prints it: whsec_ and base64.');
  return secret;
}

export const secretPath = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'parley', 'listen.json');

/** The secret of this user: created once, so that the local program does not need a new one each time. */
export async function readOrCreateSecret(path: string): Promise<string> {
  try {
    return (await findSecret(path)) ?? (await createSecret(path)) ?? ((await findSecret(path)) as string);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The signing secret cannot be stored in ${path} (${(error as NodeJS.ErrnoException).code}). Make that folder writable, or give a secret with --secret.`,
    );
  }
}

async function findSecret(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (text === undefined) return undefined;
  try {
    const { secret } = JSON.parse(text) as { secret: string };
    if (SECRET.test(secret)) return secret;
  } catch {}
  throw new OperatorError(`The file ${path} contains no signing secret. Delete it to create a new one.`);
}

/** The file is linked when it is complete. Returns undefined if another process was faster: then its secret counts. */
async function createSecret(path: string): Promise<string | undefined> {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const draft = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(draft, `${JSON.stringify({ secret }, null, 2)}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    await unlink(draft);
  }
}
