import { chmod, lchown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomSecret } from '../../base/crypto.ts';
import { OperatorError } from '../../base/errors.ts';
import { type Binaries, cannotRunHere, lastLine, OWN_DATABASE } from './binaries.ts';
import { errorCode } from './connection.ts';
import { accessError, ownerOf, quoted, statIfExists } from './folder.ts';
import { inspectProcess, readPidFile } from './left-behind.ts';
import {
  asOurselves,
  asRenamedRoot,
  asUser,
  canUse,
  isRoot,
  NOBODY,
  OWN_UID,
  type RunAs,
  run,
} from './run-as.ts';

/** Only starts and prepares the server; Parley works as another role (connection.ts). */
export const SUPERUSER = 'parley';
/** In the database folder, so that both are created and restored together. */
const PASSWORD_FILE = 'parley.password';

/** A complete database folder of the right version, and the user to run it as. */
export interface Cluster {
  readonly folder: string;
  readonly password: string;
  readonly runAs: RunAs;
  readonly logFile: string;
}

/** Opens the database folder in the data folder, or creates it. */
export async function openCluster(dataDir: string, binaries: Binaries): Promise<Cluster> {
  const folder = join(dataDir, 'postgres');
  await removeLeftovers(dataDir);
  if (isRoot()) await giveToOwnUid(dataDir, folder);
  const found = await statIfExists(folder);
  if (found !== undefined && process.getuid !== undefined && !isRoot() && found.uid !== process.getuid()) {
    throw await accessError(dataDir);
  }
  if (found === undefined || (found.isDirectory() && (await readdir(folder)).length === 0)) {
    await createCluster(dataDir, folder, binaries);
  }
  const version = await requireText(join(folder, 'PG_VERSION'), folder);
  if (version !== String(binaries.major)) {
    throw new OperatorError(
      `The database in ${folder} was created by PostgreSQL ${version}, and this Parley comes with PostgreSQL ` +
        `${binaries.major}: start the version of Parley that created it, or ${OWN_DATABASE} (of version ${version}, for that folder).`,
    );
  }
  const password = await readPassword(folder);
  // A restored backup or a volume driver may have changed the mode. PostgreSQL refuses a folder that others can read.
  if (process.platform !== 'win32' && ((await stat(folder)).mode & 0o027) !== 0) await chmod(folder, 0o700);
  return {
    folder,
    password,
    runAs: await userOf(folder, binaries),
    logFile: join(dataDir, 'postgres.log'),
  };
}

export const readPassword = (folder: string): Promise<string> =>
  requireText(join(folder, PASSWORD_FILE), folder);

async function requireText(file: string, folder: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    throw new OperatorError(
      `The folder ${folder} is not empty, but ${file} is missing in it: restore it from your backup, or move ` +
        'the folder away to start with an empty database.',
    );
  }
}

/** The user for an existing database folder: only its owner can run it. */
async function userOf(folder: string, binaries: Binaries): Promise<RunAs> {
  if (!isRoot()) return asOurselves;
  const owner = await stat(folder);
  const runAs = owner.uid === 0 ? asRenamedRoot : asUser(owner.uid, owner.gid);
  if (await canUse(runAs, binaries, folder)) return runAs;
  throw new OperatorError(
    owner.uid === 0
      ? `The database folder ${folder} belongs to root, and PostgreSQL refuses to run as root: run ` +
          `"chown -R ${OWN_UID}:${OWN_UID} ${quoted(folder)}", start Parley as another user, or ${OWN_DATABASE}.`
      : `PostgreSQL has to run as uid ${owner.uid}, the owner of ${folder}, but that user may not enter that ` +
          `folder or the one where Parley is installed: let it enter the folders above them (chmod o+x), start ` +
          `Parley as another user, or ${OWN_DATABASE}.`,
  );
}

/** Creates the folder under another name and renames it, so that an incomplete database is never used. */
async function createCluster(dataDir: string, folder: string, binaries: Binaries): Promise<void> {
  const draft = join(dataDir, `pg.tmp-${process.pid}`);
  const passwordFile = `${draft}.password`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${randomSecret(32)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await initialise(await chownDraft(draft, passwordFile, folder, binaries), binaries, draft, passwordFile);
    await rename(passwordFile, join(draft, PASSWORD_FILE));
    await renameDraft(draft, folder);
    await syncFolder(dataDir);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

async function renameDraft(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (error) {
    // Another process was faster: its database is used.
    if ((await statIfExists(join(folder, 'PG_VERSION'))) !== undefined) return;
    if (errorCode(error) !== 'EBUSY') throw error;
    throw new OperatorError(
      `The folder ${folder} is a mount point, so Parley cannot create its database there in one step: mount the ` +
        `volume on ${dirname(folder)} instead.`,
    );
  }
}

/** Everything that Parley creates in its data folder. */
const OWN_ENTRIES = /^(postgres(\.log(\.1)?|-lib)?|pg\.tmp-.*|files|secrets\.json.*)$/;

/**
 * Gives a data folder of root to PostgreSQL's own uid, so that it can be closed to everybody else, unless the folder contains
 * something that is not Parley's. A database of `nobody`, as earlier versions created it, gets the uid when it does not run.
 */
async function giveToOwnUid(dataDir: string, folder: string): Promise<void> {
  if (![0, OWN_UID].includes((await stat(dataDir)).uid)) return;
  const database = await statIfExists(folder);
  if (database?.uid === NOBODY && !(await isRunningIn(folder)))
    await chownAll(folder, OWN_UID).catch(() => {});
  const isOurs = (await readdir(dataDir)).every((name) => OWN_ENTRIES.test(name));
  const isUsed = database !== undefined && (await stat(folder)).uid !== OWN_UID;
  if (!isOurs || isUsed) return;
  try {
    await lchown(dataDir, OWN_UID, OWN_UID);
    await chmod(dataDir, 0o700);
  } catch {
    // Without CAP_CHOWN, as in some containers, the folder stays root's.
  }
}

async function isRunningIn(folder: string): Promise<boolean> {
  const file = await readPidFile(folder);
  return file !== undefined && ['ours', 'ending'].includes(await inspectProcess(file.pid, folder));
}

async function chownAll(path: string, uid: number): Promise<void> {
  for (const name of await readdir(path, { recursive: true })) await lchown(join(path, name), uid, uid);
  await lchown(path, uid, uid);
}

/** Changes the owner of the draft to the user of PostgreSQL: the owner of the folder, or a uid of its own if that is root. */
async function chownDraft(
  draft: string,
  passwordFile: string,
  folder: string,
  binaries: Binaries,
): Promise<RunAs> {
  if (!isRoot()) return asOurselves;
  const chown = async (uid: number, gid: number): Promise<void> => {
    await lchown(draft, uid, gid);
    await lchown(passwordFile, uid, gid);
  };
  const owner = await ownerOf(folder);
  const { uid, gid } = owner.uid === 0 ? { uid: OWN_UID, gid: OWN_UID } : owner;
  const runAs = asUser(uid, gid);
  // Without CAP_CHOWN, as in some containers, root can still use a user namespace.
  const isChanged = await chown(uid, gid).then(
    () => true,
    () => false,
  );
  if (isChanged && (await canUse(runAs, binaries, draft))) return runAs;
  await chown(0, 0);
  // Root in a user namespace may not enter a folder of another user.
  if (owner.uid === OWN_UID) await lchown(dirname(draft), 0, 0);
  if (await canUse(asRenamedRoot, binaries, draft)) return asRenamedRoot;
  throw new OperatorError(
    `PostgreSQL refuses to run as root, and uid ${uid} may not enter ${dirname(draft)} or ` +
      `the folder where Parley is installed: start Parley as another user, or ${OWN_DATABASE}.`,
  );
}

async function initialise(
  runAs: RunAs,
  binaries: Binaries,
  draft: string,
  passwordFile: string,
): Promise<void> {
  const args = [
    ...['-D', draft, '-U', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    '--no-instructions',
  ];
  let outcome = await run(runAs, binaries, binaries.initdb, args);
  const hasNoName = /could not look up effective user ID/.test(outcome.output);
  // initdb needs a user with a name, the server does not: only this step runs in a user namespace.
  if (hasNoName) outcome = await run({ ...runAs, renamed: true }, binaries, binaries.initdb, args);
  if (outcome.ok) return;
  if (hasNoName && isRoot() && (await initialiseAsNobody(runAs, binaries, draft, passwordFile, args))) return;
  if (hasNoName) {
    throw new OperatorError(
      `PostgreSQL cannot create a database as uid ${runAs.uid ?? process.getuid?.()}, which has no entry in ` +
        `/etc/passwd: add one, start Parley as another user, or ${OWN_DATABASE}.`,
    );
  }
  const error = outcome.output.split('\n').find((line) => /error|fatal/i.test(line));
  throw (
    cannotRunHere(outcome.output) ??
    new OperatorError(
      `PostgreSQL could not create its database in ${draft} (${error ?? lastLine(outcome.output)}): fix that, or ${OWN_DATABASE}.`,
    )
  );
}

/**
 * Where user namespaces are not allowed, as in most containers, `nobody` has the name that initdb needs. The draft belongs to
 * it for the second that this takes.
 */
async function initialiseAsNobody(
  { uid, gid }: RunAs,
  binaries: Binaries,
  draft: string,
  passwordFile: string,
  args: string[],
): Promise<boolean> {
  if (uid === undefined) return false;
  for (const path of [draft, passwordFile]) await lchown(path, NOBODY, NOBODY);
  const { ok } = await run(asUser(NOBODY, NOBODY), binaries, binaries.initdb, args);
  await chownAll(draft, uid);
  await lchown(passwordFile, uid, gid ?? uid);
  return ok;
}

/** The initdb of a server that was killed may still write for a few seconds, until its files are gone. */
const REMOVAL = { recursive: true, force: true, maxRetries: 15, retryDelay: 100 };

/** Removes drafts of processes that were killed. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = Number(/^pg\.tmp-(\d+)(\.password)?$/.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    // A draft with our own process id is old, too: containers reuse process ids.
    if (pid === process.pid || !isAlive(pid)) await rm(join(dataDir, name), REMOVAL);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Makes the rename survive a power failure. Windows cannot open folders and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
