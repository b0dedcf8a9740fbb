import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, request as send } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf, personOf } from '../kit/automations.ts';
import { groundFor } from '../kit/campaigns.ts';
import { type CliRun, PARLEY, startCli, useFolder } from '../kit/cli.ts';
import { useHttpServer, useListener, useTcpServer } from '../kit/listeners.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer({ maxFileBytes: 32 * 1024 * 1024 });
const port = await listen(server.system.app.server);
const url = `http://127.0.0.1:${port}`;
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
/** What would change a terminal that shows it. */
const HOSTILE = '\u001b[2J\u009b31m\u202eAda\u0007';
const unsafeIn = (text: string): string[] => text.replaceAll('\n', '').match(/[\p{Cc}\u202e]/gu) ?? [];
let tenant: TestTenant;
let folder: string;
beforeEach(async () => {
  tenant = await server.tenant();
  folder = await useFolder();
});

const start = (args: string[], env: Record<string, string> = {}): CliRun =>
  startCli(args, { PARLEY_URL: url, PARLEY_TOKEN: tenant.token, ...env }, folder);
const run = (args: string[], env: Record<string, string> = {}) => start(args, env).ended;
/** Does everything that is due while a command runs. */
async function runAndWork(started: CliRun) {
  let hasEnded = false;
  started.ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    await server.settle();
    await delay(20);
  }
  return started.ended;
}
const contacts = async () =>
  (await tenant.post('/v3/contacts/search', { sortBy: 'asc(firstName)' })).body.data;
const create = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.post(path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.id;
};

describe('parley contacts import', () => {
  it('imports a file with columns, country, labels, and writes what could not be imported', async () => {
    const label = await create('/v3/labels', { name: 'Fair "25"' });
    await writeFile(
      join(folder, 'customers.csv'),
      'Name;Mobile=1;Other\nAda;0170 1234567;x\nGrace;+15550002222;y\nNobody;12;z\n',
    );
    const flags = ['--map', 'Mobile=1=phoneNumber', '--country', 'de', '--label', 'Fair "25"'];
    const result = await runAndWork(start(['contacts', 'import', 'customers.csv', ...flags]));
    expect(result.stdout).toContain('Imported: 2 created, 0 updated, 0 skipped, 1 with issues.');
    expect(result.stdout).toContain('row 4, Mobile=1: DE has no number such as 12');
    expect(result.stderr).toMatch(/Import [0-9a-f-]{36} has started\./);
    expect(result.code).toBe(1);
    const rows = (await contacts()).map(
      (one: { firstName: string; phoneNumber: string; labels: object[] }) => [
        one.firstName,
        one.phoneNumber,
        one.labels,
      ],
    );
    expect(rows).toEqual([
      ['Ada', '+491701234567', [expect.objectContaining({ id: label })]],
      ['Grace', '+15550002222', [expect.objectContaining({ id: label })]],
    ]);
    expect(await readFile(join(folder, 'errors.csv'), 'utf8')).toContain('Nobody,12');
  });

  it('a dry run changes nothing, and --json prints the import', async () => {
    await writeFile(join(folder, 'customers.csv'), 'name,phone\nAda,+15550001111\n');
    const result = await runAndWork(start(['contacts', 'import', 'customers.csv', '--dry-run', '--json']));
    expect([result.code, JSON.parse(result.stdout)]).toMatchObject([
      0,
      { status: 'completed', dryRun: true, created: 1, failed: 0 },
    ]);
    expect(await contacts()).toEqual([]);
    expect(await readdir(folder)).toEqual(['customers.csv']);
  });

  it('never writes rows with issues over the file that it imports', async () => {
    const table = 'name,phone\nAda,+15550001111\nNobody,12\n';
    await writeFile(join(folder, 'errors.csv'), table);
    const result = await runAndWork(start(['contacts', 'import', 'errors.csv', '--dry-run']));
    expect([result.code, result.stdout]).toEqual([1, expect.stringContaining('errors-2.csv')]);
    expect(await readFile(join(folder, 'errors.csv'), 'utf8')).toBe(table);
    expect(await readFile(join(folder, 'errors-2.csv'), 'utf8')).toContain('Nobody,12');
    const same = await run(['contacts', 'import', 'errors.csv', '--errors', './errors.csv']);
    expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('another file')]);
    expect((await readdir(folder)).sort()).toEqual(['errors-2.csv', 'errors.csv']);
  });

  it('leaves an import running at Ctrl-C, which can be followed over a lost connection', async () => {
    await writeFile(join(folder, 'customers.csv'), 'name,phone\nAda,+15550001111\n');
    let isLost = false;
    const proxy = await useTcpServer((socket) => {
      if (isLost) socket.destroy();
      else socket.pipe(connect(port, '127.0.0.1').on('error', () => {})).pipe(socket);
    });
    const started = start(['contacts', 'import', 'customers.csv', '--url', proxy.url]);
    await until(() => started.stderr().includes('has started'));
    await delay(100);
    started.child.kill('SIGINT');
    const stopped = await started.ended;
    const [, id] = /parley contacts import --follow ([0-9a-f-]{36})/.exec(stopped.stderr) ?? [];
    expect([stopped.code, id === undefined, stopped.stderr.includes(`--cancel ${id}`)]).toEqual([
      130,
      false,
      true,
    ]);

    const following = start(['contacts', 'import', '--follow', id as string, '--url', proxy.url]);
    await until(() => following.stderr().includes('counting rows'));
    isLost = true;
    for (const socket of proxy.sockets) socket.destroy();
    await until(() => following.stderr().includes('is unreachable'));
    isLost = false;
    const result = await runAndWork(following);
    expect(result.stderr).toContain('Connected again.');
    expect(result.stdout).toContain('Imported: 1 created');
    expect(result.code).toBe(0);
    expect(await contacts()).toHaveLength(1);
  });

  /** Passes on what it gets, but not the answer to a new import. Calls `lost` when the server has given it. */
  const forgetful = (lost: (socket: Socket) => void) =>
    createHttpServer((request, response) => {
      const { method, url: path, headers } = request;
      const passed = send({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
        if (method === 'POST' && path === '/v3/imports') {
          answer.resume().once('end', () => lost(response.socket as Socket));
          return;
        }
        answer.pipe(response.writeHead(answer.statusCode as number, answer.headers));
      });
      request.pipe(passed);
    });
  const expectUnknown = async (stderr: string): Promise<void> => {
    const [one, ...more] = (await tenant.post('/v3/imports/search', {})).body.data;
    expect(more).toEqual([]);
    expect(stderr).toContain('The import may have started nevertheless');
    expect(stderr).toContain(`its file customers.csv (${one.fileId})`);
    expect(stderr).toContain('POST /v3/imports/search and the query eq(filename,"customers.csv")');
    expect(stderr).not.toContain('Stopped before');
    const result = await runAndWork(start(['contacts', 'import', '--follow', one.id]));
    expect([result.code, result.stdout]).toEqual([0, expect.stringContaining('Imported: 1 created')]);
  };

  it('keeps the file and says how to go on if the answer to the start is lost', async () => {
    await writeFile(join(folder, 'customers.csv'), 'name,phone\nAda,+15550001111\n');
    const proxy = await useListener(forgetful((socket) => void socket.destroy()));
    const { code, stderr } = await run(['contacts', 'import', 'customers.csv', '--url', proxy.url]);
    expect(code).toBe(1);
    await expectUnknown(stderr);
  });

  it('says so too at Ctrl-C before the answer to the start', async () => {
    await writeFile(join(folder, 'customers.csv'), 'name,phone\nAda,+15550001111\n');
    let hasStarted = false;
    const proxy = await useListener(
      forgetful(() => {
        hasStarted = true;
      }),
    );
    const command = start(['contacts', 'import', 'customers.csv', '--url', proxy.url]);
    await until(() => hasStarted);
    command.child.kill('SIGINT');
    const { code, stderr } = await command.ended;
    expect(code).toBe(130);
    await expectUnknown(stderr);
  });

  it('cancels an import', async () => {
    await writeFile(join(folder, 'customers.csv'), 'name,phone\nAda,+15550001111\n');
    const started = start(['contacts', 'import', 'customers.csv']);
    await until(() => started.stderr().includes('has started'));
    const [, id = ''] = /Import ([0-9a-f-]{36})/.exec(started.stderr()) ?? [];
    expect(await run(['contacts', 'import', '--cancel', id])).toMatchObject({
      code: 0,
      stdout: 'The import is cancelled. 0 rows were done.\n',
    });
    expect(await started.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('was cancelled') });
  });

  it('says what is wrong, stores nothing, and keeps no file', async () => {
    await writeFile(join(folder, 'customers.csv'), 'name,phone\nAda,+15550001111\n');
    await writeFile(join(folder, 'odd.csv'), 'a,b\n1,2\n');
    const cases: [args: string[], code: number, expected: RegExp][] = [
      [[], 2, /The file is missing\. Try: parley contacts import --help/],
      [['customers.csv', 'more.csv'], 2, /Unexpected argument "more\.csv"/],
      [['customers.csv', '--map', 'phone'], 2, /--map must be COLUMN=FIELD/],
      [['customers.csv', '--map', 'fone=phoneNumber'], 2, /has no column "fone"\. It has "name", "phone"/],
      [['customers.csv', '--map', 'phone=nope'], 1, /mapping\.phone: Must be one of firstName/],
      [['customers.csv', '--on-existing', 'merge'], 2, /--on-existing must be skip or update/],
      [['customers.csv', '--country', 'XX'], 1, /defaultCountry: Must be the code of a country/],
      [['customers.csv', '--label', 'Nope'], 1, /There is no label "Nope"\. Create it/],
      [['odd.csv'], 1, /One column must be phoneNumber or email/],
      [['nowhere.csv'], 1, /nowhere\.csv cannot be read \(ENOENT\)/],
      [['.'], 1, /is not a file/],
      [['--follow', UNKNOWN], 1, /Import not found/],
      [['--nope'], 2, /Unknown option '--nope'/],
    ];
    const tried = await Promise.all(cases.map(([args]) => run(['contacts', 'import', ...args])));
    for (const [index, { code, stderr }] of tried.entries()) {
      const [args, expectedCode, expected] = cases[index] as (typeof cases)[0];
      expect([args, code], stderr).toEqual([args, expectedCode]);
      expect(stderr).toMatch(expected);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    expect((await tenant.post('/v3/files/search', {})).body.data).toEqual([]);
    expect(await contacts()).toEqual([]);
  });
});

describe('parley contacts export and parley chats export', () => {
  it('write CSV to the standard output or to a file, and JSON lines', async () => {
    await personOf(server, tenant);
    await create('/v3/contacts', { firstName: HOSTILE, phoneNumber: '+15550002222' });
    const csv = await run(['contacts', 'export']);
    expect([csv.code, csv.stdout.split('\n').length > 2]).toEqual([0, true]);
    const asText = (await tenant.get('/v3/contacts/export.csv')).text;
    expect(csv.stdout).toBe(asText);
    const toFile = await run(['chats', 'export', '-o', 'chats.csv']);
    expect([toFile.code, toFile.stdout]).toEqual([0, '']);
    expect(await readFile(join(folder, 'chats.csv'), 'utf8')).toBe(
      (await tenant.get('/v3/chats/export.csv')).text,
    );
    expect(await readdir(folder)).toEqual(['chats.csv']);
    const { stdout } = await run([
      'contacts',
      'export',
      '--json',
      '--query',
      'eq(phoneNumber,"+15550002222")',
    ]);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ firstName: HOSTILE }]);
    expect(unsafeIn(stdout)).toEqual([]);
  });

  it('are quiet if the reader ends early, and say where a file cannot be written', async () => {
    await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        create('/v3/contacts', { firstName: 'x'.repeat(200), phoneNumber: `+1555000300${index}` }),
      ),
    );
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${PARLEY}" contacts export | head -c 10`], {
      env: { PATH: process.env.PATH, PARLEY_URL: url, PARLEY_TOKEN: tenant.token },
    });
    let stderr = '';
    shell.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    expect(await new Promise((resolve) => shell.once('close', resolve))).toBe(0);
    expect(stderr).toBe('');
    expect(await run(['contacts', 'export', '-o', 'no/such/folder.csv'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^parley: no\/such\/folder\.csv cannot be written \(ENOENT\)/),
    });
    expect(await run(['contacts', 'export', '--query', 'nope('])).toMatchObject({ code: 1, stdout: '' });
  });

  it('do not pass for complete if they are stopped, or if the output cannot be written', async () => {
    const slow = await useListener(
      createServer((socket) => {
        socket.on('error', () => {});
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\nid,firstName\r\n');
      }),
    );
    const started = start(['contacts', 'export', '--url', slow.url]);
    await until(() => started.stdout().includes('firstName'));
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(130);

    await create('/v3/contacts', { firstName: 'Ada' });
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${PARLEY}" contacts export > /dev/full`], {
      env: { PATH: process.env.PATH, PARLEY_URL: url, PARLEY_TOKEN: tenant.token },
    });
    let stderr = '';
    shell.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    expect(await new Promise((resolve) => shell.once('close', resolve))).toBe(1);
    expect(stderr).toBe('parley: The output cannot be written (ENOSPC), and is incomplete.\n');
  });
});

describe('commands that explain', () => {
  const steps = [
    { id: 'ask', type: 'send_message', parameters: { text: 'Hi {{ contact.firstName }}, coming?' } },
    { id: 'wait', type: 'wait_for_reply', parameters: { timeout: 'PT1H' } },
    { id: 'end', type: 'end' },
  ];

  it('dry-run shows what a run would do, for a contact by its number', async () => {
    await personOf(server, tenant);
    const id = await automationOf(tenant, { steps, trigger: { type: 'message_received' } });
    const flags = ['--contact', '+15550001111', '--message', 'hello', '--reply', 'yes'];
    const shown = await run(['automations', 'dry-run', id, ...flags]);
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toMatch(/1 {2}\S+ {2}send_message {5}ask\n {5}sends text: Hi .*coming\?/);
    expect(shown.stdout).toContain('The run would be completed: 3 steps');
    expect(shown.code).toBe(0);
    const json = await run(['automations', 'dry-run', id, ...flags, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ automationId: id, status: 'completed' });
    expect((await tenant.post('/v3/automation_runs/search', {})).body.data).toEqual([]);
  });

  it('explain takes the id of an event or of a message', async () => {
    await automationOf(tenant, { name: `Welcome ${HOSTILE}`, trigger: { type: 'message_received' } });
    await automationOf(tenant, { name: 'Other' });
    const { chatId } = await personOf(server, tenant);
    const [message] = (await tenant.post(`/v3/chats/${chatId}/messages/search`, {})).body.data;
    const { stdout, code } = await run(['automations', 'explain', message.id]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Welcome .*Ada {2}started {2}run [0-9a-f-]{36}/m);
    expect(stdout).toMatch(/^Other +no +The trigger of the automation is for other events/m);
    expect(unsafeIn(stdout)).toEqual([]);
    const [explained] = JSON.parse((await run(['automations', 'explain', message.id, '--json'])).stdout);
    expect(explained).toMatchObject({ started: true, reasons: [], eventId: expect.any(String) });
    const { eventId } = explained;
    expect(await run(['automations', 'explain', eventId])).toMatchObject({ code: 0, stdout });
    expect(await run(['automations', 'explain', UNKNOWN])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no event and no message'),
    });

    const tree = await run(['trace', message.id]);
    expect(tree.stdout).toMatch(/^message inbound .* ← this\n[\s\S]*^[├└]─ event message\.received/m);
    expect(tree.stdout).toMatch(/^[ │] {2}[├└]─ run Welcome/m);
    expect(JSON.parse((await run(['trace', message.id, '--json'])).stdout)).toMatchObject({
      root: message.id,
    });
    expect(await run(['trace'])).toMatchObject({ code: 2 });
  });

  it('preview takes a file, the standard input, or the id of a campaign', async () => {
    const ground = await groundFor(tenant, {
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } }],
    });
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550002111' });
    const campaign = { ...ground, name: 'Sale', audience: 'eq(firstName,"Ada")' };
    await writeFile(join(folder, 'campaign.json'), JSON.stringify(campaign));
    const fromFile = await run(['campaigns', 'preview', 'campaign.json']);
    expect(fromFile.stderr).toBe('');
    expect(fromFile.stdout).toContain('1 contacts match.');
    const id = await create('/v3/campaigns', {
      ...campaign,
      isScheduled: true,
      scheduledAt: '2026-12-24T09:00:00Z',
    });
    expect(await run(['campaigns', 'preview', id])).toEqual(fromFile);
    const { automationId: _automation, ...rest } = campaign;
    const planned = await create('/v3/campaigns', {
      ...rest,
      message: { text: 'Hello {{ contact.firstName }}' },
      scheduledAt: '2026-12-24T09:00:00Z',
    });
    expect(await run(['campaigns', 'preview', planned])).toEqual(fromFile);
    const piped = start(['campaigns', 'preview', '-', '--json']);
    piped.child.stdin?.end(JSON.stringify(campaign));
    expect(JSON.parse((await piped.ended).stdout)).toMatchObject({ matched: 1 });
    await writeFile(join(folder, 'broken.json'), '{');
    expect(await run(['campaigns', 'preview', 'broken.json'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not JSON'),
    });
  });

  it('say what is wrong in one sentence', async () => {
    const answering = async (status: number, type: string, text: string): Promise<string> =>
      (
        await useHttpServer((request, response) => {
          if (status === 0) return void request.socket.destroy();
          response.writeHead(status, { 'content-type': type }).end(text);
        })
      ).url;
    const cut = await answering(0, '', '');
    const proxy = await answering(502, 'text/html', '<h1>Bad gateway</h1>');
    const page = await answering(200, 'text/html', '<h1>Hello</h1>');
    const other = await answering(200, 'application/json', '{"success":true,"data":{}}');
    const cases: [args: string[], env: Record<string, string>, code: number, expected: RegExp][] = [
      [['contacts'], {}, 2, /A command is missing\. There is parley contacts import/],
      [['automations', 'nope'], {}, 2, /There is no "parley automations nope"/],
      [['automations', 'dry-run', UNKNOWN], {}, 2, /--contact is required/],
      [['trace', UNKNOWN], { PARLEY_TOKEN: 'nonsense' }, 1, /Unauthorized: .*PARLEY_TOKEN/],
      [['trace', UNKNOWN], { PARLEY_TOKEN: '' }, 1, /An access token is required/],
      [['trace', UNKNOWN], { PARLEY_URL: 'nonsense' }, 2, /PARLEY_URL must be a URL/],
      [['trace', UNKNOWN], { PARLEY_URL: 'http://127.0.0.1:1' }, 1, /No server answers at/],
      [['trace', UNKNOWN], {}, 1, /Event not found/],
      [['token'], { PARLEY_ADMIN_TOKEN: 'nonsense' }, 1, /Unauthorized: .*Check PARLEY_ADMIN_TOKEN/],
      [['login-link'], {}, 1, /The operator's token is required/],
      [
        ['login-link', '--token', 'x', '--url', cut],
        {},
        1,
        /did not answer to the end .*look whether it did/,
      ],
      [['trace', UNKNOWN, '--url', proxy], {}, 1, /A proxy at .* \(502\)\. Start the server/],
      [['trace', UNKNOWN, '--url', other], {}, 1, /Check that the server has the version/],
      [['contacts', 'export', '--url', page], {}, 1, /There is no Parley at .*Check --url/],
    ];
    const tried = await Promise.all(cases.map(([args, env]) => run(args, env)));
    for (const [index, { code, stderr }] of tried.entries()) {
      const [args, , expectedCode, expected] = cases[index] as (typeof cases)[0];
      expect([args, code], stderr).toEqual([args, expectedCode]);
      expect(stderr).toMatch(expected);
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    }
    expect((await run(['contacts', '--help'])).stdout).toBe(
      'parley contacts import --help\nparley contacts export --help\n',
    );
  });
});
