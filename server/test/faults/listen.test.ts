import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from './postmaster.ts';
import { answerAtOnce } from './receiver.ts';
import { openToolShop, stop, type ToolShop } from './tools.ts';

let tools: ToolShop;
beforeAll(async () => {
  tools = await openToolShop();
});
afterAll(() => tools.close());

describe('parley listen', () => {
  it('R1: brings every event to a local program, signed, in order and once, across kills of the server', async () => {
    const token = await tools.newTenant();
    const tool = tools.listen('kills', token);
    await until(() => tool.output().includes('Connected'));
    const secret = /whsec_\S+/.exec(tool.output())?.[0] as string;
    tools.receiver.trust('kills', secret);
    // There is no channel yet, so the tool makes one.
    expect((await tools.trigger(token, 'message.received')).code).toBe(0);
    await until(() => tools.arrived(token).length === 3);
    const [channel] = await tools.make('/v3/channels/search', token, {});
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
      // By turns: once it listens again, and whether it does or not.
      if (kill % 2 === 0) await until(() => again() > before);
    }
    await delay(500);
    isWriting = false;
    await writing;

    const received = () => tools.arrived(token).filter(({ event }) => event.type === 'message.received');
    await until(() => received().length >= acknowledged + 1, 30_000);
    const newest = await tools.make('/v3/events/search', token, {
      sortBy: 'desc(sequence)',
      pagination: { limit: 1 },
    });
    await until(() => tools.arrived(token).at(-1)?.event.sequence === newest[0].sequence, 30_000);
    const all = tools.arrived(token);
    const total = (await tools.call(tools.server.url, '/v3/events/search', { token, body: {} })).body
      .pagination.total;
    expect(all).toHaveLength(total);
    const sequences = all.map(({ event }) => event.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(all.every(({ at }) => at.length === 1)).toBe(true);
    expect(tools.receiver.faults).toEqual([]);
    expect(acknowledged).toBeGreaterThan(20);
    const printed = tool.output();
    expect(printed).toContain('is unreachable');
    expect(printed).toMatch(/^\d\d:\d\d:\d\d {2}message\.received +#\d+ {2}204 {2}\d+ ms$/m);
    await stop(tool);
  });

  it('keeps one secret for its user, readable by nobody else, and takes another where it is told', async () => {
    const token = await tools.newTenant();
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
    expect(tools.receiver.faults).toEqual([]);
    for (const tool of [one, two, other]) await stop(tool);
    expect(existsSync(join(tools.home, 'data'))).toBe(false);
  });

  it('shows what the program does not take, does not send it again, and goes on', async () => {
    const token = await tools.newTenant();
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
    const nowhere = tools.shop.tool(
      ['listen', '--url', tools.server.url, '--forward-to', 'http://localhost:1/hook'],
      tools.environment(token),
    );
    await until(() => nowhere.output().includes('Connected'));
    await tools.trigger(token, 'message.received');
    await until(() => /message\.received +#4 {2}failed: the connection was refused/.test(nowhere.output()));
    await stop(nowhere);
  });

  it('waits for a server that is not there yet', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await until(() => probe.listening);
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const late = `http://127.0.0.1:${port}`;
    const tool = tools.shop.tool(
      ['listen', '--url', late, '--forward-to', tools.receiver.url('late')],
      tools.environment(await tools.newTenant()),
    );
    await until(() => tool.output().includes(`The server at ${late} is unreachable (ECONNREFUSED)`));
    const folder = join(await tools.shop.folder(), 'data');
    const started = await tools.shop.start({ dataDir: folder, port: String(port) });
    // The token belongs to another installation, which is what the new server says.
    expect(await tool.ended).toMatchObject({ code: 1 });
    expect(tool.output()).toMatch(/^parley: Unauthorized: .* Create a token with POST \/v3\/tokens/m);
    await started.kill();
  });
});
