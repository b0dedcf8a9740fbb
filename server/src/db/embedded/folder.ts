import { access, chmod, constants, lchown, mkdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { OperatorError } from '../../base/errors.ts';
import { OWN_DATABASE } from './binaries.ts';
import { errorCode } from './connection.ts';
import { isRoot } from './run-as.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Who owns the path or, where it does not exist yet, its nearest existing parent. */
export async function ownerOf(path: string): Promise<Owner> {
  for (let at = path; ; at = dirname(at)) {
    const found = await statIfThere(at);
    if (found !== undefined) return found;
  }
}

/** `existsSync` would call a folder absent that we may only not look into: a refusal must stay a refusal. */
export async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the data folder, owned by whoever owns its parent, and sees that we may write in it. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  try {
    const owner = await ownerOf(dataDir);
    // Root's folder must let the database's user pass through; what is inside is closed by itself.
    const first = await mkdir(dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
    if (first !== undefined && isRoot()) {
      for (let at = dataDir; at.length >= first.length; at = dirname(at)) {
        // The mode above is cut down by the umask.
        await chmod(at, 0o711);
        if (owner.uid !== 0) await lchown(at, owner.uid, owner.gid);
      }
    }
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (!['ENOTDIR', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    throw new OperatorError(
      `The data folder ${dataDir} is a file, or lies below one: remove that file or choose another data folder.`,
    );
  }
}

/** Runs `work` and turns a refusal of the file system into the sentence that mends it. */
export async function withSentences<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await sentenceFor(error, path);
  }
}

async function sentenceFor(error: unknown, path: string): Promise<unknown> {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return notOurs(path);
    case 'EROFS':
      return new OperatorError(
        `Parley may not write in ${path}, because that file system is read-only: choose another data folder, or ${OWN_DATABASE}.`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new OperatorError(
        `There is no space left for ${path}: free some, or choose another data folder.`,
      );
    default:
      return error;
  }
}

/** The sentence for a data folder that belongs to someone else or is closed to us. */
export async function notOurs(path: string): Promise<OperatorError> {
  if (isRoot()) {
    return new OperatorError(
      `Even root may not write in ${path}: choose a data folder on another file system, or ${OWN_DATABASE}.`,
    );
  }
  return new OperatorError(
    `Parley runs as ${userName()} and may not use the data folder ${path}: ${await fixFor(path)}, start Parley ` +
      `as another user, choose another data folder, or ${OWN_DATABASE}.`,
  );
}

async function fixFor(path: string): Promise<string> {
  const owner = `${process.getuid?.()}:${process.getgid?.()}`;
  try {
    const found = await stat(path);
    return found.uid === process.getuid?.() && (found.mode & 0o700) !== 0o700
      ? `run "chmod u+rwx ${quoted(path)}"`
      : `run "chown -R ${owner} ${quoted(path)}" as root`;
  } catch (error) {
    return errorCode(error) === 'ENOENT'
      ? `run "mkdir -p ${quoted(path)} && chown ${owner} ${quoted(path)}" as root`
      : 'let that user enter the folders above it';
  }
}

function userName(): string {
  const uid = process.getuid?.();
  try {
    return `user ${userInfo().username} (uid ${uid})`;
  } catch {
    return `uid ${uid}`;
  }
}

/** A path as a shell wants it. */
export const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
