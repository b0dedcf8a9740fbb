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

/** The owner of the path or, if it does not exist, of its nearest existing parent. */
export async function ownerOf(path: string): Promise<Owner> {
  for (let current = path; ; current = dirname(current)) {
    const found = await statIfExists(current);
    if (found !== undefined) return found;
  }
}

/** Unlike `existsSync` this throws if access is denied. */
export async function statIfExists(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates the data folder with the owner of its parent, and checks that this process can write to it. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  try {
    const owner = await ownerOf(dataDir);
    // The database's user must be able to enter root's folder. The files in it have their own modes.
    const first = await mkdir(dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
    if (first !== undefined && isRoot()) {
      for (let folder = dataDir; folder.length >= first.length; folder = dirname(folder)) {
        // The umask may have removed bits of the mode above.
        await chmod(folder, 0o711);
        if (owner.uid !== 0) await lchown(folder, owner.uid, owner.gid);
      }
    }
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (!['ENOTDIR', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
    throw new OperatorError(
      `The data folder ${dataDir} is a file, or is below one: remove that file or choose another data folder.`,
    );
  }
}

/** Runs `work` and converts errors of the file system to messages that say how to fix them. */
export async function explainFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await explain(error, path);
  }
}

async function explain(error: unknown, path: string): Promise<unknown> {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return accessError(path);
    case 'EROFS':
      return new OperatorError(
        `Parley cannot write to ${path}, because that file system is read-only: choose another data folder, or ${OWN_DATABASE}.`,
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

/** The error for a data folder that this process may not use. */
export async function accessError(path: string): Promise<OperatorError> {
  if (isRoot()) {
    return new OperatorError(
      `Even root cannot write to ${path}: choose a data folder on another file system, or ${OWN_DATABASE}.`,
    );
  }
  return new OperatorError(
    `Parley runs as ${userName()} and cannot use the data folder ${path}: ${await fixFor(path)}, start Parley ` +
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

/** Quotes a path for a shell. */
export const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
