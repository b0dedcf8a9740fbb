import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedUrl, type OwnDatabase, startDatabase, withDatabaseAt } from './database.ts';
import { client, createFixtures } from './load.ts';
import { postmasterPid } from './postmaster.ts';
import { OPERATOR_TOKEN, type Output, processPool, SECRET_KEY, type ServerProcess } from './processes.ts';
import { startReceiver } from './receiver.ts';

const shop = processPool();
const api = client(4);
let database: OwnDatabase;
beforeAll(async () => {
  database = await startDatabase(shop);
});
afterAll(async () => {
  await api.close();
  await shop.end();
});

const newDataDir = async (): Promise<string> => join(await shop.folder(), 'data');

/** What an operator gets to see: what is wrong and what to do, in one line, and nothing of the inside. */
function expectOneSentence({ code, stdout, stderr }: Output, ...words: (string | RegExp)[]): void {
  expect(stderr.trim().split('\n'), stderr).toHaveLength(1);
  expect(stderr).toMatch(/^parley: [A-Z"'-].*\.\s*$|Try: parley --help\s*$/);
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).not.toMatch(/\n\s+at |node:internal|\.ts:\d+/);
  expect(stdout).not.toMatch(/\n\s+at |node:internal/);
  expect(code).toBe(1);
}

describe('a start after kill −9', () => {
  it('finds everything as it was: the same token works, and the database is taken over', async () => {
    const dataDir = await newDataDir();
    const receiver = await startReceiver();
    const first = await shop.start({ dataDir });
    const [tenant] = await createFixtures(first.url, receiver, { tenants: 1, channels: 1 });
    const token = tenant?.token as string;
    const before = await api.call(first.url, '/v3/me', { token });
    await first.kill();
    expect(postmasterPid(dataDir)).toBeDefined();
    const second = await shop.start({ dataDir });
    const after = await api.call(second.url, '/v3/me', { token });
    expect(after.status).toBe(200);
    expect(after.body).toEqual(before.body);

    const third = await shop.run(['--port', '0', '--data-dir', dataDir], { NODE_ENV: 'production' });
    expectOneSentence(third, /Another Parley is running on this data folder/);
    const still = await api.call(second.url, '/v3/me', { token });
    expect(still.status).toBe(200);
    await second.kill();
    await receiver.close();
  });
});

describe('a start that cannot succeed ends with one sentence and exit code 1', () => {
  it('when the port is in use', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)),
    );
    const dataDir = await newDataDir();
    expectOneSentence(
      await shop.run(['--port', String(port), '--data-dir', dataDir]),
      `Port ${port}`,
      /--port/,
    );
    await new Promise((resolve) => other.close(resolve));
  });

  it('when the data folder cannot be written to', async () => {
    const folder = await shop.folder();
    const dataDir = join(folder, 'of-somebody-else');
    await mkdir(dataDir, { mode: 0o555 });
    const asOrdinaryUser =
      process.getuid?.() === 0 ? ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'] : [];
    // The build must be there already: an ordinary user may not write it.
    await shop.run(['--version']);
    const output = await shop.run(['--port', '0', '--data-dir', dataDir], {}, asOrdinaryUser);
    expectOneSentence(output, dataDir, /--data-dir/);
  });

  it('when the database cannot be reached, knows no such database or refuses the password', async () => {
    const start = async (DATABASE_URL: string) =>
      shop.run(['--port', '0', '--data-dir', await newDataDir()], { DATABASE_URL });
    expectOneSentence(await start('postgres://nobody@127.0.0.1:1/none'), /DATABASE_URL/, /ECONNREFUSED/);
    const absent = new URL(database.url);
    absent.pathname = '/there_is_none';
    expectOneSentence(await start(absent.href), /DATABASE_URL/, /there_is_none/);
    const stranger = new URL(database.url);
    stranger.password = 'wrong-password';
    const refused = await start(stranger.href);
    expectOneSentence(refused, /DATABASE_URL/);
    expect(refused.stderr).not.toContain('wrong-password');
  });

  it('when the kept secrets are damaged', async () => {
    for (const text of ['', '{"secretKey":', '{}']) {
      const folder = await shop.folder();
      await writeFile(join(folder, 'secrets.json'), text);
      expectOneSentence(await shop.run(['--port', '0', '--data-dir', folder]), /secrets\.json/, /backup/);
    }
  });

  it('when a variable is bad, without showing a secret', async () => {
    expectOneSentence(await shop.run([], { PORT: 'many' }), /PORT/, /many/);
    expectOneSentence(await shop.run([], { PARLEY_FILE_BYTES: '1GB' }), /PARLEY_FILE_BYTES/, /bytes/, /1GB/);
    expectOneSentence(await shop.run([], { LOG_LEVEL: 'loud' }), /LOG_LEVEL/, /loud/);
    const output = await shop.run([], { PARLEY_SECRET_KEY: 'too-short' });
    expectOneSentence(output, /PARLEY_SECRET_KEY/);
    expect(output.stderr).not.toContain('too-short');
    const url = await shop.run([], { DATABASE_URL: 'mysql://me:hidden@127.0.0.1/x' });
    expectOneSentence(url, /DATABASE_URL/);
    expect(url.stderr).not.toContain('hidden');
  });

  it('when a flag, a command or a role is unknown', async () => {
    expectOneSentence(await shop.run(['--fast']), /--fast/);
    expectOneSentence(await shop.run(['dance']), /dance/);
    expectOneSentence(await shop.run(['--role', 'king']), /king/);
  });

  it('when the secret key is another one, and takes no work away from the others', async () => {
    const url = await database.another('other_key');
    const server = await shop.start({ dataDir: await newDataDir(), env: { DATABASE_URL: url } });
    const before = await workersOf(url);
    const output = await shop.run(['--port', '0', '--data-dir', await newDataDir()], {
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

const workersOf = (url: string) => withDatabaseAt(url, (ask) => ask('select id from workers order by id'));

describe('what the program says of itself', () => {
  it('shows its commands, options and variables', async () => {
    const output = await shop.run(['--help']);
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
    expect((await shop.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('shows every variable and no secret', async () => {
    const secrets = {
      PARLEY_SECRET_KEY: SECRET_KEY,
      PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN,
      DATABASE_URL: 'postgres://me:hidden-password@127.0.0.1/db',
    };
    const output = await shop.run(['config'], { ...secrets, PORT: '4321' });
    expect(output.code).toBe(0);
    expect(output.stdout).toMatch(/^PORT +4321 +\[environment\]$/m);
    expect(output.stdout).toMatch(/^HOST +127\.0\.0\.1 +\[default\]$/m);
    for (const [name, value] of Object.entries(secrets)) {
      expect(output.stdout).toMatch(new RegExp(`^${name} +\\(set\\)`, 'm'));
      expect(output.stdout + output.stderr).not.toContain(value);
    }
    expect(output.stdout).not.toContain('hidden-password');
  });

  it('in production makes no demo tenant and logs JSON only', async () => {
    const dataDir = await newDataDir();
    const server = await shop.start({ dataDir });
    const tenants = await withDatabaseAt(embeddedUrl(dataDir), (ask) => ask('select id from tenants'));
    expect(tenants).toEqual([]);
    server.signal('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.log.map((line) => line.msg)).toEqual(
      expect.arrayContaining(['database prepared', 'listening', 'stopping']),
    );
    expect(server.other()).toBe('');
  });
});

describe('five processes that start at once on one empty database', () => {
  const startFive = (dataDirs: string[], env: Record<string, string>): Promise<ServerProcess[]> =>
    Promise.all(dataDirs.map((dataDir) => shop.start({ dataDir, env })));

  it('all come up, and the schema is made once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const url = await database.another(`five_${round}`);
      const dataDirs = await Promise.all(Array.from({ length: 5 }, newDataDir));
      const five = await startFive(dataDirs, { DATABASE_URL: url });
      const migrations = await withDatabaseAt(url, (ask) => ask('select name from migrations'));
      expect(new Set(migrations.map((row) => row.name)).size).toBe(migrations.length);
      await Promise.all(five.map((server) => server.kill()));
    }
  });

  it('share the secrets of one data folder and make one demo tenant', async () => {
    const url = await database.another('five_demo');
    const shared = await newDataDir();
    const five = await startFive(Array(5).fill(shared), {
      DATABASE_URL: url,
      PARLEY_SECRET_KEY: '',
      PARLEY_ADMIN_TOKEN: '',
      PARLEY_DEMO: 'true',
    });
    const tenants = await withDatabaseAt(url, (ask) => ask('select name from tenants'));
    expect(tenants).toEqual([{ name: 'demo' }]);
    const token = five.map((server) => /^TOKEN=(.+)$/m.exec(server.other())?.[1]).find(Boolean) as string;
    for (const server of five) expect((await api.call(server.url, '/v3/me', { token })).status).toBe(200);
    await Promise.all(five.map((server) => server.kill()));
  });
});
