import { beforeEach, expect, it } from 'vitest';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const senders = {
  whatsapp: { from: '+15550001111', contact: { phoneNumber: '+15550001111' } },
  email: { from: 'ada@example.com', contact: { email: 'ada@example.com' } },
  instagram: { from: '1784', contact: { handles: [{ type: 'instagram_id', value: '1784' }] } },
} as const;

it.each(Object.entries(senders))('%s: an empty name is filled from the profile', async (kind, {
  from,
  contact,
}) => {
  const channel = await tenant.channel(kind);
  const { id } = (await tenant.post('/v3/contacts', contact)).body.data;
  const write = async (name: string, text = 'Hello') => {
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text, name });
    await server.settle();
    return (await tenant.get(`/v3/contacts/${id}`)).body.data;
  };
  const published = listener(server, tenant);
  await published();
  expect(await write('Ada Lovelace')).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace' });
  const events = await published();
  expect(events.filter(({ type }) => type === 'contact.updated')).toHaveLength(1);
  expect(events.find(({ type }) => type === 'message.received')?.data.contact).toMatchObject({
    displayName: 'Ada Lovelace',
  });
  expect((await tenant.post('/v3/contacts/search', { search: 'lovelace' })).body.data).toHaveLength(1);
  // It is not changed again, neither if it came from the profile nor from the API.
  expect(await write('Somebody Else')).toMatchObject({ fullName: 'Ada Lovelace' });
  await tenant.put(`/v3/contacts/${id}`, { firstName: 'Countess', lastName: null });
  expect(await write('Somebody Else')).toMatchObject({ firstName: 'Countess', lastName: null });
});
