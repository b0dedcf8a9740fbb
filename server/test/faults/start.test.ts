import { readFileSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTcpServer } from '../kit/listeners.ts';
import { until } from '../kit/until.ts';
import { embeddedUrl, type OwnDatabase, startDatabase, withConnection } from './database.ts';
import { createFixtures, useApiClient } from './load.ts';
import { postmasterPid } from './postmaster.ts';
import { OPERATOR_TOKEN, type Output, SECRET_KEY, type ServerProcess, useProcessPool } from './processes.ts';
import { useFaultReceiver } from './receiver.ts';

const pool = useProcessPool();
const call = useApiClient(4);
let database: OwnDatabase;
beforeAll(async () => {
  database = await startDatabase(pool);
});

/** The operator sees in one line what is wrong and what to do, and no internals. */
function expectOneSentence({ code, stdout, stderr }: Output, ...words: (string | RegExp)[]): void {
  expect(stderr.trim().split('\n'), stderr).toHaveLength(1);
  expect(stderr).toMatch(/^parley: [A-Z"'-].*\.\s*$|Try: parley --help\s*$/);
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).not.toMatch(/\n\s+at |node:internal|\.ts:\d+/);
  expect(stdout).not.toMatch(/\n\s+at |node:internal/);
  expect(code).toBe(1);
}

describe('a start after kill −9', () => {
  it('keeps everything: the same token works, and the database is taken over', async () => {
    const dataDir = await pool.makeDataDir();
    const receiver = await useFaultReceiver();
    const first = await pool.startServer({ dataDir });
    const [tenant] = await createFixtures(first.url, receiver, { tenants: 1, channels: 1 });
    const token = tenant?.token as string;
    const before = await call(first.url, '/v3/me', { token });
    await first.kill();
    expect(postmasterPid(dataDir)).toBeDefined();
    const second = await pool.startServer({ dataDir });
    const after = await call(second.url, '/v3/me', { token });
    expect(after.status).toBe(200);
    expect(after.body).toEqual(before.body);

    const third = await pool.runProgram(['--port', '0', '--data-dir', dataDir], { NODE_ENV: 'production' });
    expectOneSentence(third, /Another Parley is running on this data folder/);
    const still = await call(second.url, '/v3/me', { token });
    expect(still.status).toBe(200);
    await second.kill();
  });
});

describe('a start that cannot succeed ends with one sentence and exit code 1', () => {
  it('when the port is in use', async () => {
    const { port } = await useTcpServer(() => {});
    const dataDir = await pool.makeDataDir();
    expectOneSentence(
      await pool.runProgram(['--port', String(port), '--data-dir', dataDir]),
      `Port ${port}`,
      /--port/,
    );
  });

  it('when the data folder cannot be written to', async () => {
    const folder = await pool.makeFolder();
    const dataDir = join(folder, 'of-somebody-else');
    await mkdir(dataDir, { mode: 0o555 });
    const asOrdinaryUser =
      process.getuid?.() === 0 ? ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'] : [];
    // Builds the program first: an ordinary user may not write the build.
    await pool.runProgram(['--version']);
    const output = await pool.runProgram(['--port', '0', '--data-dir', dataDir], {}, asOrdinaryUser);
    expectOneSentence(output, dataDir, /--data-dir/);
  });

  it('when the database cannot be reached, knows no such database or refuses the password', async () => {
    const start = async (DATABASE_URL: string) =>
      pool.runProgram(['--port', '0', '--data-dir', await pool.makeDataDir()], { DATABASE_URL });
    expectOneSentence(await start('postgres://nobody@127.0.0.1:1/none'), /DATABASE_URL/, /ECONNREFUSED/);
    const absent = new URL(database.url);
    absent.pathname = '/there_is_none';
    expectOneSentence(await start(absent.href), /DATABASE_URL/, /there_is_none/);
    const wrongPassword = new URL(database.url);
    wrongPassword.password = 'wrong-password';
    const refused = await start(wrongPassword.href);
    expectOneSentence(refused, /DATABASE_URL/);
    expect(refused.stderr).not.toContain('wrong-password');
  });

  it('when the kept secrets are damaged', async () => {
    for (const text of ['', '{"secretKey":', '{}']) {
      const folder = await pool.makeFolder();
      await writeFile(join(folder, 'secrets.json'), text);
      expectOneSentence(
        await pool.runProgram(['--port', '0', '--data-dir', folder]),
        /secrets\.json/,
        /backup/,
      );
    }
  });

  it('when a variable is bad, without showing a secret', async () => {
    expectOneSentence(await pool.runProgram([], { PORT: 'many' }), /PORT/, /many/);
    expectOneSentence(
      await pool.runProgram([], { PARLEY_FILE_BYTES: '1GB' }),
      /PARLEY_FILE_BYTES/,
      /bytes/,
      /1GB/,
    );
    expectOneSentence(await pool.runProgram([], { LOG_LEVEL: 'loud' }), /LOG_LEVEL/, /loud/);
    const output = await pool.runProgram([], { PARLEY_SECRET_KEY: 'too-short' });
    expectOneSentence(output, /PARLEY_SECRET_KEY/);
    expect(output.stderr).not.toContain('too-short');
    const url = await pool.runProgram([], { DATABASE_URL: 'mysql://me:hidden@127.0.0.1/x' });
    expectOneSentence(url, /DATABASE_URL/);
    expect(url.stderr).not.toContain('hidden');
  });

  it('when a flag, a command or a role is unknown', async () => {
    expectOneSentence(await pool.runProgram(['--fast']), /--fast/);
    expectOneSentence(await pool.runProgram(['dance']), /dance/);
    expectOneSentence(await pool.runProgram(['--role', 'king']), /king/);
  });

  it('when the secret key differs, and takes no work from the other servers', async () => {
    const url = await database.createDatabase('other_key');
    const server = await pool.startServer({ dataDir: await pool.makeDataDir(), env: { DATABASE_URL: url } });
    const before = await workersOf(url);
    const output = await pool.runProgram(['--port', '0', '--data-dir', await pool.makeDataDir()], {
      NODE_ENV: 'production',
      DATABASE_URL: url,
      PARLEY_SECRET_KEY: `${SECRET_KEY}-another`,
      PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN,
    });
    expectOneSentence(output, /PARLEY_SECRET_KEY/, /another secret key/);
    expect(await workersOf(url)).toEqual(before);
    await server.kill();
  });
});

const workersOf = (url: string) =>
  withConnection(url, (query) => query('select id from workers order by id'));

describe('what the program prints about itself', () => {
  it('shows its commands, options and variables', async () => {
    const output = await pool.runProgram(['--help']);
    expect(output.code).toBe(0);
    for (const word of [
      'parley config',
      '--role',
      '--port',
      '--data-dir',
      'DATABASE_URL',
      'PARLEY_SECRET_KEY',
    ])
      expect(output.stdout).toContain(word);
    expect((await pool.runProgram(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('shows every variable and no secret', async () => {
    const secrets = {
      PARLEY_SECRET_KEY: SECRET_KEY,
      PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN,
      DATABASE_URL: 'postgres://me:hidden-password@127.0.0.1/db',
    };
    const output = await pool.runProgram(['config'], { ...secrets, PORT: '4321' });
    expect(output.code).toBe(0);
    expect(output.stdout).toMatch(/^PORT +4321 +\[environment\]$/m);
    expect(output.stdout).toMatch(/^HOST +127\.0\.0\.1 +\[default\]$/m);
    for (const [name, value] of Object.entries(secrets)) {
      expect(output.stdout).toMatch(new RegExp(`^${name} +\\(set\\)`, 'm'));
      expect(output.stdout + output.stderr).not.toContain(value);
    }
    expect(output.stdout).not.toContain('hidden-password');
  });

  it('in production creates no demo tenant, and prints only JSON and the link of the first login', async () => {
    const dataDir = await pool.makeDataDir();
    const server = await pool.startServer({ dataDir });
    const tenants = await withConnection(embeddedUrl(dataDir), (query) => query('select id from tenants'));
    expect(tenants).toEqual([]);
    server.signal('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.log.map((line) => line.msg)).toEqual(
      expect.arrayContaining(['database prepared', 'listening', 'stopping']),
    );
    expect(server.otherOutput().split('\n').filter(Boolean)).toEqual([
      expect.stringContaining('Nobody can log in yet'),
      expect.stringMatching(/^ {2}Console {6}http:\/\/\S+\/console\/welcome#\S+$/),
    ]);
  });
});

it.runIf(process.getuid?.() === 0)(
  'X10: started by root in production it warns, and its PostgreSQL runs as a uid of its own',
  async () => {
    const dataDir = await pool.makeDataDir();
    const server = await pool.startServer({ dataDir });
    expect(server.log.map((line) => line.msg).join()).toContain('Parley runs as root');
    const pid = postmasterPid(dataDir);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])).toBeGreaterThanOrEqual(64_000);
    expect(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])).not.toBe(65_534);
    await server.kill();
  },
);

describe('a server on a laptop', () => {
  /** Saves a webhook for the same machine, and returns the status of the answer. */
  const saveLocalHook = async (HOST: string): Promise<number> => {
    const env = { HOST, NODE_ENV: 'development', PARLEY_OUTBOUND_ALLOW_HOSTS: '' };
    const server = pool.launchServer({ dataDir: await pool.makeDataDir(), env });
    const findPort = () => /:(\d+)\/console\/welcome#/.exec(server.otherOutput())?.[1];
    await until(() => findPort() !== undefined, 60_000);
    const url = `http://127.0.0.1:${findPort()}`;
    const tenant = await call(url, '/admin/tenants', { token: OPERATOR_TOKEN, body: { name: 'a' } });
    const { id } = tenant.body.data;
    const made = await call(url, `/admin/tenants/${id}/tokens`, { token: OPERATOR_TOKEN, body: {} });
    const { token } = made.body.data;
    const body = { url: 'http://localhost:4000/hook', events: [{}] };
    const { status } = await call(url, '/v3/api_webhooks', { token, body });
    await server.kill();
    return status;
  };

  it('X12: calls receivers on the same machine only while it listens on loopback only', async () => {
    expect([await saveLocalHook('127.0.0.1'), await saveLocalHook('0.0.0.0')]).toEqual([200, 400]);
  });

  it('X17: shows nobody else what is in its data folder', async () => {
    const dataDir = await pool.makeDataDir();
    await mkdir(dataDir, { mode: 0o755 });
    const server = await pool.startServer({ dataDir });
    // At most the user of PostgreSQL may enter it, but not list it.
    expect((await stat(dataDir)).mode & 0o066).toBe(0);
    for (const name of await readdir(dataDir))
      expect([name, (await stat(join(dataDir, name))).mode & 0o077]).toEqual([name, 0]);
    await server.kill();
  });
});

describe('five processes that start at once on one empty database', () => {
  const startFive = (dataDirs: string[], env: Record<string, string>): Promise<ServerProcess[]> =>
    Promise.all(dataDirs.map((dataDir) => pool.startServer({ dataDir, env })));

  it('all start, and the schema is created once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const url = await database.createDatabase(`five_${round}`);
      const dataDirs = await Promise.all(Array.from({ length: 5 }, pool.makeDataDir));
      const five = await startFive(dataDirs, { DATABASE_URL: url });
      const migrations = await withConnection(url, (query) => query('select name from migrations'));
      expect(new Set(migrations.map((row) => row.name)).size).toBe(migrations.length);
      await Promise.all(five.map((server) => server.kill()));
    }
  });

  it('share the secrets of one data folder and create one demo tenant', async () => {
    const url = await database.createDatabase('five_demo');
    const shared = await pool.makeDataDir();
    const five = await startFive(Array(5).fill(shared), {
      DATABASE_URL: url,
      PARLEY_SECRET_KEY: '',
      PARLEY_ADMIN_TOKEN: '',
      PARLEY_DEMO: 'true',
    });
    const tenants = await withConnection(url, (query) => query('select name from tenants'));
    expect(tenants).toEqual([{ name: 'demo' }]);
    const token = five
      .map((server) => /^TOKEN=(.+)$/m.exec(server.otherOutput())?.[1])
      .find(Boolean) as string;
    for (const server of five) expect((await call(server.url, '/v3/me', { token })).status).toBe(200);
    await Promise.all(five.map((server) => server.kill()));
  });
});
