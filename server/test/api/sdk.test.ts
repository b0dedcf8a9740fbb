import {
  type Client,
  createClient,
  createContact,
  createLabel,
  deleteContact,
  deleteLabel,
  getChat,
  getContact,
  getContactTimeline,
  getFileContent,
  getMe,
  getSession,
  items,
  listTenants,
  ParleyError,
  pages,
  searchChats,
  searchContacts,
  searchLabels,
  sendChatMessage,
  triggerAutomation,
  updateContact,
  uploadFile,
  verifyWebhook,
  writeInSandbox,
} from '@parley/sdk';
import { describe, expect, it, vi } from 'vitest';
import { automationOf, personOf } from '../kit/automations.ts';
import { OWN_PAGE, usePerson } from '../kit/people.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';
import { createWebhook, write } from '../kit/webhooks.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const baseUrl = `http://127.0.0.1:${await listen(server.system.app.server)}`;
const clientOf = ({ token }: Pick<TestTenant, 'token'>): Client => createClient({ baseUrl, token });

async function errorOf(call: Promise<unknown>): Promise<ParleyError> {
  const error: unknown = await call.catch((reason) => reason);
  expect(error).toBeInstanceOf(ParleyError);
  return error as ParleyError;
}

describe('a client of a real server', () => {
  it('creates, reads, changes and deletes', async () => {
    const client = clientOf(await server.tenant());
    const contact = await createContact(client, { body: { firstName: 'Ada', lastName: 'Lovelace' } });
    expect(contact.fullName).toBe('Ada Lovelace');
    const path = { contactId: contact.id };
    expect(await getContact(client, { path })).toEqual(contact);
    const { firstName } = await updateContact(client, {
      path,
      body: { firstName: 'Grace', lastName: undefined },
    });
    expect(firstName).toBe('Grace');
    await deleteContact(client, { path });
    expect(await errorOf(getContact(client, { path }))).toMatchObject({
      status: 404,
      messageKey: 'contact_not_found',
    });
    const label = await createLabel(client, { body: { name: 'VIP' } });
    await deleteLabel(client, { path: { labelId: label.id }, query: { force: true } });
    expect((await searchLabels(client)).pagination.total).toBe(0);
  });

  it('repeats a request with the same key without a second effect', async () => {
    const client = clientOf(await server.tenant());
    const create = (idempotencyKey?: string) =>
      createContact(client, { body: { firstName: 'Ada' }, idempotencyKey });
    const [one, two, three, four] = [await create('k'), await create('k'), await create(), await create()];
    expect(two.id).toBe(one.id);
    expect(new Set([one.id, three.id, four.id]).size).toBe(3);
    const other = createContact(client, { body: { firstName: 'Grace' }, idempotencyKey: 'k' });
    expect(await errorOf(other)).toMatchObject({ status: 422, messageKey: 'idempotency_key_reused' });
  });

  it('reads pages that are not searched for', async () => {
    const client = clientOf(await server.tenant());
    const { id: contactId } = await createContact(client, { body: { firstName: 'Ada' } });
    await updateContact(client, { path: { contactId }, body: { firstName: 'Grace' } });
    await server.settle();
    const read = (cursor?: string | null) =>
      getContactTimeline(client, {
        path: { contactId },
        query: { limit: 1, ...(cursor ? { cursor: Number(cursor) } : {}) },
      });
    const first = await read();
    const second = await read(first.pagination.nextCursor);
    expect([first, second].map(({ items: [item] }) => item?.type)).toEqual([
      'contact.updated',
      'contact.created',
    ]);
    expect(second.pagination.nextCursor).toBeNull();
    const types: string[] = [];
    for await (const { type } of items(getContactTimeline, client, {
      path: { contactId },
      query: { limit: 1 },
    })) {
      types.push(type);
      expect(types.length).toBeLessThan(3);
    }
    expect(types).toEqual(['contact.updated', 'contact.created']);
  });

  it('goes through pages and items, from any page on', async () => {
    const client = clientOf(await server.tenant());
    for (let number = 0; number < 7; number += 1)
      await createContact(client, { body: { firstName: `Contact ${number}` } });
    const body = { sortBy: 'asc(createdAt)', pagination: { limit: 3 } };
    const sizes: number[] = [];
    for await (const page of pages(searchContacts, client, { body })) {
      expect(page.pagination.total).toBe(7);
      expect(page.query.sortBy).toBe('asc(createdAt)');
      sizes.push(page.items.length);
    }
    expect(sizes).toEqual([3, 3, 1]);
    const names: (string | null)[] = [];
    for await (const { firstName } of items(searchContacts, client, { body })) names.push(firstName);
    expect(names.toSorted()).toEqual(Array.from({ length: 7 }, (_, number) => `Contact ${number}`));
    const first = await searchContacts(client, { body });
    const cursor = first.pagination.nextCursor as string;
    const rest = [];
    for await (const one of items(searchContacts, client, {
      body: { ...body, pagination: { limit: 3, cursor } },
    }))
      rest.push(one.firstName);
    expect(rest).toEqual(names.slice(3));
    for await (const _ of items(searchContacts, client)) break;
    const none = [];
    for await (const one of items(searchContacts, client, { body: { query: 'eq(firstName,"nobody")' } }))
      none.push(one);
    expect(none).toEqual([]);
  });

  it('says what is wrong', async () => {
    const tenant = await server.tenant();
    const client = clientOf(tenant);
    const error = await errorOf(createContact(client, { body: { firstName: 5, emial: 'x' } as never }));
    expect(error).toMatchObject({ status: 400, messageKey: 'invalid_body_params' });
    expect(error.issues.map(({ parameter, key }) => [parameter, key])).toEqual(
      expect.arrayContaining([['firstName', 'invalid_type']]),
    );
    expect(error.issues.length).toBeGreaterThan(1);
    expect(error.parameter).toBe(error.issues[0]?.parameter);
    expect(error.requestId).toMatch(/\S/);
    expect(String(error)).toMatch(/^ParleyError: Invalid body params; .*firstName: /);
    const poor = createClient({ baseUrl, token: await tenant.tokenWith(['chats:read']) });
    expect(await errorOf(createContact(poor, { body: {} }))).toMatchObject({
      status: 403,
      messageKey: 'forbidden',
    });
    const nobody = createClient({ baseUrl });
    expect(await errorOf(getMe(nobody))).toMatchObject({ status: 401, messageKey: 'unauthorized' });
    const other = clientOf(await server.tenant());
    const { id } = await createContact(client, { body: { firstName: 'Ada' } });
    expect(await errorOf(getContact(other, { path: { contactId: id } }))).toMatchObject({ status: 404 });
  });

  it('says when a tenant may ask again', async () => {
    const { token } = await server.tenant({ rateLimit: 1 });
    const client = createClient({ baseUrl, token, retries: 0 });
    const error = await errorOf(Promise.all([getMe(client), getMe(client), getMe(client)]));
    expect(error).toMatchObject({ status: 429, messageKey: 'too_many_requests' });
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(60);
  });

  it('uploads and downloads bytes', async () => {
    const client = clientOf(await server.tenant());
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const file = await uploadFile(client, {
      body: { file: new File([bytes], 'grüße.bin'), isPrivate: true },
    });
    expect(file).toMatchObject({ filename: 'grüße.bin', size: 300, isPrivate: true });
    const response = await getFileContent(client, { path: { fileId: file.id } });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    const missing = getFileContent(client, { path: { fileId: crypto.randomUUID() } });
    expect(await errorOf(missing)).toMatchObject({ status: 404, messageKey: 'file_not_found' });
  });

  it('holds a conversation', async () => {
    const tenant = await server.tenant();
    const client = clientOf(tenant);
    const channel = await tenant.channel();
    const path = { channelId: channel.id };
    await writeInSandbox(client, { path, body: { from: '+15550001111', text: 'Is this still available?' } });
    await server.settle();
    const { items: chats } = await searchChats(client, { body: { query: 'eq(status,"open")' } });
    expect(chats[0]?.latestMessage?.text).toBe('Is this still available?');
    const chatId = String(chats[0]?.id);
    const sent = await sendChatMessage(client, { path: { chatId }, body: { text: 'Yes' } });
    expect(sent).toMatchObject({ chatId, sender: 'outbound' });
    expect((await getChat(client, { path: { chatId } })).latestMessage?.id).toBe(sent.id);
  });

  it('shows the response to those who need a header', async () => {
    const tenant = await server.tenant();
    const { contactId } = await personOf(server, tenant);
    const automationId = await automationOf(tenant);
    let runId: string | null = null;
    const result = await triggerAutomation(clientOf(tenant), {
      path: { automationId },
      body: { contactId },
      onResponse: ({ headers }) => {
        runId = headers.get('x-automation-run-id');
      },
    });
    expect(result).toBeUndefined();
    expect((await tenant.get(`/v3/automation_runs/${runId}`)).status).toBe(200);
  });

  it('works for a person who has logged in, in the tenant that a header names', async () => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'admin');
    const client = createClient({
      baseUrl,
      headers: () => ({ cookie: `__Host-parley=${person.cookie}`, 'parley-tenant': tenant.id, ...OWN_PAGE }),
    });
    expect((await getSession(client)).memberships.map(({ tenantId }) => tenantId)).toEqual([tenant.id]);
    expect((await createContact(client, { body: { firstName: 'Ada' } })).firstName).toBe('Ada');
    expect(await errorOf(listTenants(client))).toMatchObject({ status: 403 });
  });

  it('works for the operator', async () => {
    const tenant = await server.tenant();
    const tenants = await listTenants(createClient({ baseUrl, token: OPERATOR_TOKEN }));
    expect(tenants.map(({ id }) => id)).toContain(tenant.id);
  });
});

it('a webhook that was really delivered is verified, and refused when changed or late', async () => {
  const { tenant, channel, target, hook } = await createWebhook(server);
  await write(tenant, channel, 'Grüße 🙂');
  await server.settle();
  const [{ headers, text }] = target.received as [(typeof target.received)[0]];
  const at = Number(headers['webhook-timestamp']) * 1000;
  vi.useFakeTimers({ toFake: ['Date'], now: at });
  try {
    const event = await verifyWebhook({ body: text, headers, secret: hook.secret });
    expect(event.type === 'message.received' && event.data.text).toBe('Grüße 🙂');
    const changed = text.replace('Grüße', 'Gruss');
    await expect(verifyWebhook({ body: changed, headers, secret: hook.secret })).rejects.toThrow(
      'No signature fits',
    );
    vi.setSystemTime(at + 301_000);
    await expect(verifyWebhook({ body: text, headers, secret: hook.secret })).rejects.toThrow('too old');
    vi.setSystemTime(at - 301_000);
    await expect(verifyWebhook({ body: text, headers, secret: hook.secret })).rejects.toThrow(
      'clocks differ',
    );
  } finally {
    vi.useRealTimers();
  }
});
