import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { print } from './checker.ts';
import { client } from './load.ts';
import { OPERATOR_TOKEN, type ServerProcess, workshop } from './processes.ts';

const PEOPLE = 5000;
const KILL_AT = [1000, 2500];
const PATIENCE_MS = 600_000;

const shop = workshop();
const { call, close } = client(4);
afterAll(async () => {
  await close();
  await shop.end();
});

describe('R12 a broadcast, and kill −9 of the server on the way', () => {
  it('reaches every contact exactly once, and counts them right', async () => {
    const since = performance.now();
    const dataDir = join(await shop.folder(), 'data');
    let server: ServerProcess = await shop.start({ dataDir });
    const make = async (path: string, token: string, body: unknown) => {
      const answer = await call(server.url, path, { token, body, timeoutMs: 120_000 });
      expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined]);
      return answer.body.data;
    };
    const tenant = await make('/admin/tenants', OPERATOR_TOKEN, { name: 'r12', rateLimit: 1_000_000_000 });
    const { token } = await make(`/admin/tenants/${tenant.id}/tokens`, OPERATOR_TOKEN, {});
    const channel = { kind: 'sms', provider: 'sandbox', name: 'R12', address: '+15550009999' };
    const { id: channelId } = await make('/v3/channels', token, channel);
    const { id: workflowId } = await make('/v3/automations', token, {
      name: 'R12',
      trigger: { type: 'campaign' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } }],
    });
    await make(`/v3/automations/${workflowId}/publish`, token, {});

    // The sandbox refuses some numbers on purpose, by their last four digits; none of these.
    const numbers = Array.from({ length: PEOPLE }, (_, index) => `+1555${2_000_010 + index}`);
    const contacts = numbers.map((phoneNumber, index) => ({ phoneNumber, firstName: `N${index}` }));
    const { id } = await make(`/v2/${channelId}/broadcasts`, token, { name: 'R12', workflowId, contacts });

    const read = async (path: string) =>
      (await call(server.url, path, { token, timeoutMs: 120_000 })).body.data;
    const accepted = async (): Promise<{ to: string }[]> =>
      read(`/v3/sandbox/${channelId}/outbox?limit=10000`);
    const deadline = performance.now() + PATIENCE_MS;
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo()) && performance.now() < deadline) await delay(50);
    };
    const killedAt: number[] = [];
    for (const count of KILL_AT) {
      await until(async () => (await accepted()).length >= count);
      killedAt.push((await accepted()).length);
      await server.kill();
      server = await shop.start({ dataDir });
    }
    await until(async () => (await read(`/v3/campaigns/${id}`)).status === 'completed');

    const campaign = await read(`/v3/campaigns/${id}`);
    const reached = (await accepted()).map(({ to }) => to);
    const people = new Set(reached);
    // What the sandbox says of a message beside that it has it, it may have said already.
    const { queued, failed, skipped, ...through } = campaign.recipientCounts as Record<string, number>;
    const served = Object.values(through).reduce((sum, count) => sum + count, 0);
    const problems = [
      ...numbers.filter((number) => !people.has(number)).map((number) => `${number} got nothing`),
      ...(reached.length > people.size ? [`${reached.length - people.size} messages came twice`] : []),
      ...(campaign.status === 'completed' ? [] : [`the campaign is ${campaign.status}`]),
      ...(queued || failed || skipped || served !== PEOPLE
        ? [`the counts are ${JSON.stringify(campaign.recipientCounts)}`]
        : []),
      ...killedAt.filter((count) => count >= PEOPLE).map(() => 'it was killed when it was over'),
    ];
    const seconds = Math.round((performance.now() - since) / 1000);
    const text = `R12: ${PEOPLE} contacts, killed at ${killedAt.join(' and ')}, ${reached.length} messages to ${people.size} people, ${seconds} s`;
    print({ problems, text });
    expect(problems).toEqual([]);
  });
});
