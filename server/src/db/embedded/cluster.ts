import { chmod, lchown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomSecret } from '../../base/crypto.ts';
import { OperatorError } from '../../base/errors.ts';
import { type Binaries, cannotRunHere, lastLine, OWN_DATABASE } from './binaries.ts';
import { errorCode } from './connection.ts';
import { notOurs, ownerOf, quoted, statIfThere } from './folder.ts';
import { asOurselves, asRenamedRoot, asUser, canUse, isRoot, NOBODY, type RunAs, run } from './run-as.ts';

export const SUPERUSER = 'parley';
/** In the database folder itself, so that it comes to be, and is restored, together with it. */
const PASSWORD_FILE = 'parley.password';

/** A database folder that is there, whole, and of our version, and as whom to run it. */
export interface Cluster {
  readonly folder: string;
  readonly password: string;
  readonly runAs: RunAs;
  readonly logFile: string;
}

/** Opens the database folder in the data folder, or makes it. */
export async function openCluster(dataDir: string, binaries: Binaries): Promise<Cluster> {
  const folder = join(dataDir, 'postgres');
  await removeLeftovers(dataDir);
  const found = await statIfThere(folder);
  if (found !== undefined && process.getuid !== undefined && !isRoot() && found.uid !== process.getuid()) {
    throw await notOurs(dataDir);
  }
  if (found === undefined || (found.isDirectory() && (await readdir(folder)).length === 0)) {
    await createCluster(dataDir, folder, binaries);
  }
  const version = await requireText(join(folder, 'PG_VERSION'), folder);
  if (version !== String(binaries.major)) {
    throw new OperatorError(
      `The database in ${folder} was made by PostgreSQL ${version}, and this Parley comes with PostgreSQL ` +
        `${binaries.major}: start the version of Parley that made it, or ${OWN_DATABASE} (of version ${version}, for that folder).`,
    );
  }
  const password = await requireText(join(folder, PASSWORD_FILE), folder);
  // Restoring a backup or a volume driver may have opened the folder to others: PostgreSQL then refuses it.
  if (process.platform !== 'win32' && ((await stat(folder)).mode & 0o027) !== 0) await chmod(folder, 0o700);
  return {
    folder,
    password,
    runAs: await userOf(folder, binaries),
    logFile: join(dataDir, 'postgres.log'),
  };
}

async function requireText(file: string, folder: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    throw new OperatorError(
      `The folder ${folder} is not empty, but ${file} is missing in it: restore it from your backup, or move ` +
        'the folder away to begin with an empty database.',
    );
  }
}

/** As whom to run a database folder that exists: only its owner can. */
async function userOf(folder: string, binaries: Binaries): Promise<RunAs> {
  if (!isRoot()) return asOurselves;
  const owner = await stat(folder);
  const runAs = owner.uid === 0 ? asRenamedRoot : asUser(owner.uid, owner.gid);
  if (await canUse(runAs, binaries, folder)) return runAs;
  throw new OperatorError(
    owner.uid === 0
      ? `The database folder ${folder} belongs to root, as whom PostgreSQL refuses to run: run ` +
          `"chown -R ${NOBODY}:${NOBODY} ${quoted(folder)}", start Parley as another user, or ${OWN_DATABASE}.`
      : `PostgreSQL has to run as uid ${owner.uid}, the owner of ${folder}, but that user may not enter that ` +
          `folder or the one where Parley is installed: let it enter the folders above them (chmod o+x), start ` +
          `Parley as another user, or ${OWN_DATABASE}.`,
  );
}

/** Makes the folder beside its place and renames it, so that half a database is never taken for a whole one. */
async function createCluster(dataDir: string, folder: string, binaries: Binaries): Promise<void> {
  const draft = join(dataDir, `pg.tmp-${process.pid}`);
  const passwordFile = `${draft}.password`;
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${randomSecret(32)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await initialise(await claim(draft, passwordFile, folder, binaries), binaries, draft, passwordFile);
    await rename(passwordFile, join(draft, PASSWORD_FILE));
    await putInPlace(draft, folder);
    await syncFolder(dataDir);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

async function putInPlace(draft: string, folder: string): Promise<void> {
  try {
    await rename(draft, folder);
  } catch (error) {
    // Another starter was faster: its database is as good as ours.
    if ((await statIfThere(join(folder, 'PG_VERSION'))) !== undefined) return;
    if (errorCode(error) !== 'EBUSY') throw error;
    throw new OperatorError(
      `The folder ${folder} is a mount point, so Parley cannot make its database there in one step: mount the ` +
        `volume on ${dirname(folder)} instead.`,
    );
  }
}

/** Gives the draft to the user PostgreSQL is to run as: the owner of what is there, `nobody` for root's. */
async function claim(
  draft: string,
  passwordFile: string,
  folder: string,
  binaries: Binaries,
): Promise<RunAs> {
  if (!isRoot()) return asOurselves;
  const give = async (uid: number, gid: number): Promise<void> => {
    await lchown(draft, uid, gid);
    await lchown(passwordFile, uid, gid);
  };
  const owner = await ownerOf(folder);
  const { uid, gid } = owner.uid === 0 ? { uid: NOBODY, gid: NOBODY } : owner;
  const runAs = asUser(uid, gid);
  // A root without the right to give files away (a container without CAP_CHOWN) can still use the second way.
  const given = await give(uid, gid).then(
    () => true,
    () => false,
  );
  if (given && (await canUse(runAs, binaries, draft))) return runAs;
  await give(0, 0);
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
  const nameless = /could not look up effective user ID/.test(outcome.output);
  // initdb wants a user with a name; the server itself does not, so only this step runs renamed.
  if (nameless) outcome = await run({ ...runAs, renamed: true }, binaries, binaries.initdb, args);
  if (outcome.ok) return;
  if (nameless) {
    throw new OperatorError(
      `PostgreSQL cannot make a database as uid ${runAs.uid ?? process.getuid?.()}, which has no entry in ` +
        `/etc/passwd: add one, start Parley as another user, or ${OWN_DATABASE}.`,
    );
  }
  const error = outcome.output.split('\n').find((line) => /error|fatal/i.test(line));
  throw (
    cannotRunHere(outcome.output) ??
    new OperatorError(
      `PostgreSQL could not make its database in ${draft} (${error ?? lastLine(outcome.output)}): mend that, or ${OWN_DATABASE}.`,
    )
  );
}

/** Removes what starts that were killed have left. A start that is under way has a living process. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = Number(/^pg\.tmp-(\d+)(\.password)?$/.exec(name)?.[1]);
    if (Number.isNaN(pid)) continue;
    // Our own number is a leftover too: containers give the same numbers again and again.
    if (pid === process.pid || !isAlive(pid)) await rm(join(dataDir, name), { recursive: true, force: true });
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

/** The rename must survive a power failure. Windows cannot open folders and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
