import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freePort } from '../kit/listeners.ts';
import { until } from '../kit/until.ts';
import { embeddedUrl, withConnection } from './database.ts';
import { answerAtOnce } from './receiver.ts';
import { stop, useTools } from './tools.ts';

const tools = await useTools();

describe('parley listen', () => {
  it('R1: forwards every event to a local program once, signed and in order, across kills of the server', async () => {
    const token = await tools.createTenant();
    const tool = tools.listen('kills', token);
    await until(() => tool.output().includes('Connected'));
    const secret = /whsec_\S+/.exec(tool.output())?.[0] as string;
    tools.receiver.trust('kills', secret);
    // There is no channel yet, so the tool creates one.
    expect((await tools.trigger(token, 'message.received')).code).toBe(0);
    await until(() => tools.arrived(token).length === 3);
    const [channel] = await tools.post('/v3/channels/search', token, {});
    expect(channel).toMatchObject({ name: 'trigger', provider: 'sandbox' });

    let acknowledged = 0;
    let isWriting = true;
    const write = async (): Promise<void> => {
      while (isWriting) {
        const body = { from: '+15550001111', text: `message ${acknowledged}` };
        const answer = await tools
          .call(tools.server.url, `/v3/sandbox/${channel.id}/inbound`, { token, body, timeoutMs: 5_000 })
          .catch(() => undefined);
        if (answer?.status === 200) acknowledged += 1;
        await delay(answer ? 5 : 50);
      }
    };
    const writing = write();
    const again = () => tool.output().match(/Connected again, nothing was missed/g)?.length ?? 0;
    for (let kill = 0; kill < 4; kill += 1) {
      await delay(500 + Math.random() * 500);
      const before = again();
      await tools.restart();
      // Every second kill waits until the tool is connected again.
      if (kill % 2 === 0) await until(() => again() > before);
    }
    await delay(500);
    isWriting = false;
    await writing;

    const received = () => tools.arrived(token).filter(({ event }) => event.type === 'message.received');
    await until(() => received().length >= acknowledged + 1, 30_000);
    // A kill between a commit and its answer leaves a message that was not counted. All that came in is stored.
    const inbound = () =>
      withConnection(embeddedUrl(tools.server.dataDir), (query) => query('select 1 from inbound limit 1'));
    await until(async () => (await inbound()).length === 0, 30_000);
    const countEvents = async (): Promise<number> =>
      (await tools.call(tools.server.url, '/v3/events/search', { token, body: {} })).body.pagination.total;
    await until(async () => tools.arrived(token).length === (await countEvents()), 30_000);
    const all = tools.arrived(token);
    const sequences = all.map(({ event }) => event.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(all.every(({ at }) => at.length === 1)).toBe(true);
    expect(tools.receiver.issues).toEqual([]);
    expect(acknowledged).toBeGreaterThan(20);
    const printed = tool.output();
    expect(printed).toContain('is unreachable');
    expect(printed).toMatch(/^\d\d:\d\d:\d\d {2}message\.received +#\d+ {2}204 {2}\d+ ms$/m);
    await stop(tool);
  });

  it('keeps one secret per user, readable by nobody else, and takes another from --secret', async () => {
    const token = await tools.createTenant();
    const [one, two] = [tools.listen('secret', token), tools.listen('secret', token)];
    await until(() => [one, two].every((tool) => tool.output().includes('Connected')));
    const path = join(tools.home, 'parley', 'listen.json');
    const kept = JSON.parse(await readFile(path, 'utf8')).secret;
    for (const tool of [one, two])
      expect(tool.output()).toContain(`Signing secret: ${kept} (kept in ${path})`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const other = tools.listen('given', token, '--secret', given, '--types', 'message.*');
    tools.receiver.trust('given', given);
    await until(() => other.output().includes('Connected'));
    await tools.trigger(token, 'contact.created');
    await until(() => other.output().includes('message.received'));
    expect(other.output()).not.toContain('contact.created');
    expect(tools.receiver.issues).toEqual([]);
    for (const tool of [one, two, other]) await stop(tool);
    expect(existsSync(join(tools.home, 'data'))).toBe(false);
  });

  it('shows what the program refuses, does not send it again, and continues', async () => {
    const token = await tools.createTenant();
    let refused = 0;
    tools.receiver.behave((delivered, response, request) => {
      if (delivered.event.type !== 'chat.created') return answerAtOnce(delivered, response, request);
      refused += 1;
      response.writeHead(500).end('not now');
    });
    const tool = tools.listen('failing', token);
    await until(() => tool.output().includes('Connected'));
    await tools.trigger(token, 'message.received');
    await until(() => /message\.received +#3 {2}204/.test(tool.output()));
    expect(tool.output()).toMatch(/chat\.created +#2 {2}500 {2}\d+ ms/);
    await stop(tool);
    tools.receiver.behave(answerAtOnce);
    expect(refused).toBe(1);
    const nowhere = tools.pool.startTool(
      ['listen', '--url', tools.server.url, '--forward-to', 'http://localhost:1/hook'],
      tools.environment(token),
    );
    await until(() => nowhere.output().includes('Connected'));
    await tools.trigger(token, 'message.received');
    await until(() => /message\.received +#4 {2}failed: the connection was refused/.test(nowhere.output()));
    await stop(nowhere);
  });

  it('ends without an error while the program has not answered', async () => {
    const token = await tools.createTenant();
    let waiting = 0;
    tools.receiver.behave(() => {
      waiting += 1;
    });
    const tool = tools.listen('silent', token);
    await until(() => tool.output().includes('Connected'));
    await tools.trigger(token, 'contact.created');
    await until(() => waiting === 1);
    await stop(tool);
    tools.receiver.behave(answerAtOnce);
  });

  it('waits for a server that has not started yet', async () => {
    const port = await freePort();
    const late = `http://127.0.0.1:${port}`;
    const tool = tools.pool.startTool(
      ['listen', '--url', late, '--forward-to', tools.receiver.url('late')],
      tools.environment(await tools.createTenant()),
    );
    await until(() => tool.output().includes(`The server at ${late} is unreachable (ECONNREFUSED)`));
    const folder = await tools.pool.makeDataDir();
    const started = await tools.pool.startServer({ dataDir: folder, port: String(port) });
    // The token belongs to another installation, so the new server refuses it.
    expect(await tool.ended).toMatchObject({ code: 1 });
    expect(tool.output()).toMatch(/^parley: Unauthorized: .* Create a token with POST \/v3\/tokens/m);
    await started.kill();
  });
});
