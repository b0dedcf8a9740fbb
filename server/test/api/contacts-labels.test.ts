import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { bySequence, useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const receiver = await useReceiver();

let tenant: TestTenant;
let contactId: string;
const label = async (name: string): Promise<string> =>
  (await tenant.post('/v3/labels', { name })).body.data.id;
const add = (...ids: string[]) =>
  tenant.post(`/v3/contacts/${contactId}/labels`, { labels: ids.map((id) => ({ id })) });
const published = async (): Promise<string[]> => {
  await server.settle();
  return bySequence(receiver.received).map(({ body }) => body.type);
};

beforeEach(async () => {
  tenant = await server.tenant();
  const channel = await tenant.channel();
  await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'contact.*' }] });
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
  await server.settle();
  contactId = receiver.received.at(-1)?.body.data.id;
  receiver.received.length = 0;
});

describe('labels of a contact', () => {
  it('are added, and one that the contact already has is not an error and no event', async () => {
    const [vip, late] = [await label('VIP'), await label('Late')];
    const answer = await add(vip);
    expect(answer.body.data.labels).toEqual([{ id: vip, name: 'VIP', color: null }]);
    expect((await add(vip)).status).toBe(200);
    const both = await add(vip, late, late.toUpperCase());
    expect(both.body.data.labels.map(({ name }: { name: string }) => name)).toEqual(['VIP', 'Late']);
    expect(await published()).toEqual(['contact.labels_added', 'contact.labels_added']);
    expect(bySequence(receiver.received)[1]?.body.data).toEqual(both.body.data);
  });

  it('are not added if one of them is unknown, and every unknown one is reported', async () => {
    const vip = await label('VIP');
    const foreign = (await (await server.tenant()).post('/v3/labels', { name: 'Theirs' })).body.data.id;
    const unknown = newId().toUpperCase();
    const { body } = await add(unknown, vip, foreign);
    expect(body.error.messageKey).toBe('invalid_body_params');
    expect(body.error.invalidParams).toEqual({
      'labels.0.id': { key: 'custom', message: `There is no label ${unknown}` },
      'labels.2.id': { key: 'custom', message: `There is no label ${foreign}` },
    });
    expect((await tenant.get(`/v3/contacts/${contactId}`)).body.data.labels).toEqual([]);
    expect(await published()).toEqual([]);
  });

  it('must be given, each as a UUID', async () => {
    expect((await tenant.post(`/v3/contacts/${contactId}/labels`, {})).body.error.invalidParams).toEqual({
      labels: { key: 'invalid_type', message: 'Required' },
    });
    expect((await add('VIP')).body.error.invalidParams['labels.0.id'].key).toBe('invalid_string');
  });

  it('are removed, and one that the contact does not have is not an error and no event', async () => {
    const vip = await label('VIP');
    await add(vip);
    const path = `/v3/contacts/${contactId}/labels/${vip}`;
    expect((await tenant.delete(path)).body.data.labels).toEqual([]);
    expect((await tenant.delete(path)).status).toBe(200);
    expect((await tenant.delete(`/v3/contacts/${contactId}/labels/nothing`)).status).toBe(200);
    expect(await published()).toEqual(['contact.labels_added', 'contact.labels_removed']);
  });

  it('added 50 times at once are added once and published once', async () => {
    const vip = await label('VIP');
    const answers = await Promise.all(Array.from({ length: 50 }, () => add(vip)));
    for (const { body } of answers) expect(body.data.labels).toHaveLength(1);
    expect(await published()).toEqual(['contact.labels_added']);
  });

  it('of an unknown contact are 404', async () => {
    const vip = await label('VIP');
    const { body } = await tenant.post(`/v3/contacts/${newId()}/labels`, { labels: [{ id: vip }] });
    expect(body.error.messageKey).toBe('contact_not_found');
  });
});
