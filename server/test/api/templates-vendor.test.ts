import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adapters } from '../../src/providers/adapters.ts';
import type { InboundTemplateStatus } from '../../src/providers/inbound-event.ts';
import { decideTemplate } from '../../src/templates/decide-template.ts';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { templateVendorAdapter, useTemplateVendor } from '../kit/template-vendor.ts';

const server = await useServer({
  adapters: new Map([...adapters, [templateVendorAdapter.provider, templateVendorAdapter]]),
});
const vendor = await useTemplateVendor();
afterEach(() => expect(vendor.moods).toEqual([]));

let tenant: TestTenant;
let channelId: string;
beforeEach(async () => {
  vendor.templates.clear();
  vendor.asked.length = 0;
  tenant = await server.tenant();
  const { body } = await tenant.post('/v3/channels', {
    kind: 'whatsapp',
    provider: 'reviewer',
    name: 'Reviewed',
    address: '+15550009999',
    config: { baseUrl: vendor.url },
  });
  channelId = body.data.id;
});

const MINUTE = 60_000;
const nothingLeftOut = { leftOut: [], leftOutTotal: 0 };
const path = (id: string) => `/v3/message_templates/${id}`;
const good = () => ({ channelId, name: 'shipped', language: 'en', body: 'Hello {{name}}, see {{1}}' });
const make = async (more: object = {}) =>
  (await tenant.post('/v3/message_templates', { ...good(), ...more })).body.data;
const read = async (id: string) => (await tenant.get(path(id))).body.data;
const sync = async () => (await tenant.post('/v3/message_templates/sync', { channelId })).body.data;
const named = async (name: string) =>
  (await tenant.post('/v3/message_templates/search', { query: `eq(name,"${name}")` })).body.data[0];
const tasks = async () =>
  (await server.system.db.query('select attempts from template_tasks where tenant_id = $1', [tenant.id]))
    .rows;
const statusesIn = (events: { type: string; data: { status: string } }[]) =>
  events.filter(({ type }) => type === 'template.status_changed').map(({ data }) => data.status);

/** A decision as the vendor's own request would report it. */
const decide = (decision: Partial<InboundTemplateStatus>) =>
  server.system.db.forTenant(tenant.id).transaction((tx) =>
    decideTemplate(tx, channelId, {
      kind: 'template_status',
      occurredAt: server.clock.now(),
      vendorId: 't-unknown',
      name: 'shipped',
      language: 'en',
      status: 'approved',
      reason: null,
      ...decision,
    }),
  );

describe('a template that the vendor reviews', () => {
  it('is pending, submitted with an example for each variable, and decided by the vendor', async () => {
    const hear = listener(server, tenant);
    const made = await make({ category: 'marketing', footer: 'Bye' });
    expect(made).toMatchObject({ status: 'pending', vendorId: null });
    expect(vendor.asked).toEqual([]);
    await server.settle();
    const [vendorId, there] = [...vendor.templates][0] ?? [];
    expect(there).toMatchObject({ name: 'shipped', language: 'en', category: 'marketing', footer: 'Bye' });
    expect(await read(made.id)).toMatchObject({ status: 'pending', vendorId, problem: null });
    expect(await tasks()).toEqual([]);
    const decision = { vendorId: vendorId as string, status: 'approved' as const };
    await decide(decision);
    await decide(decision);
    expect((await read(made.id)).status).toBe('approved');
    expect(statusesIn(await hear())).toEqual(['approved']);
  });

  it('is rejected with the vendor’s reason, and submitted again by an update', async () => {
    const hear = listener(server, tenant);
    vendor.moods.push('refuse');
    const { id } = await make();
    await server.settle();
    expect(await read(id)).toMatchObject({ status: 'rejected', rejectionReason: 'not in this tone' });
    const again = await tenant.put(path(id), good());
    expect(again.body.data).toMatchObject({ status: 'pending', rejectionReason: null });
    await server.settle();
    expect(await read(id)).toMatchObject({ status: 'pending', vendorId: expect.any(String) });
    expect(statusesIn(await hear())).toEqual(['rejected', 'pending']);
  });

  it('shows the problem while the vendor is unreachable, and is submitted later', async () => {
    vendor.moods.push('busy', 'busy');
    const { id } = await make();
    await server.settle();
    expect(await read(id)).toMatchObject({ status: 'pending', problem: 'too busy' });
    await server.settle();
    expect(vendor.asked).toHaveLength(1);
    server.clock.advance(MINUTE / 2);
    await server.settle();
    expect(vendor.asked).toHaveLength(2);
    server.clock.advance(MINUTE);
    await server.settle();
    expect(await read(id)).toMatchObject({ problem: null, vendorId: expect.any(String) });
    expect(vendor.templates.size).toBe(1);
  });

  it('is not created twice if the answer is lost', async () => {
    vendor.moods.push('lose the answer');
    const { id } = await make();
    await server.settle();
    expect(await read(id)).toMatchObject({ status: 'pending', vendorId: null });
    expect((await read(id)).problem).not.toBe(null);
    expect(vendor.templates.size).toBe(1);
    server.clock.advance(MINUTE);
    await server.settle();
    expect(await read(id)).toMatchObject({
      status: 'pending',
      problem: null,
      vendorId: [...vendor.templates.keys()][0],
    });
    expect(vendor.asked).toEqual(['POST /templates', 'GET /templates']);
  });

  it('keeps a decision that arrives before the answer to its submission', async () => {
    vendor.moods.push('hang');
    const { id } = await make();
    const settled = server.settle();
    await expect.poll(() => vendor.asked.length).toBe(1);
    await decide({ vendorId: 't-early', status: 'rejected', reason: 'no' });
    vendor.release();
    await settled;
    expect(await read(id)).toMatchObject({ status: 'rejected', rejectionReason: 'no' });
  });

  it('is changed at the vendor with the same id, once for several changes', async () => {
    const hear = listener(server, tenant);
    const { id } = await make();
    await server.settle();
    const { vendorId } = await read(id);
    await decide({ vendorId });
    await tenant.put(path(id), { body: 'Second' });
    await tenant.put(path(id), { body: 'Third' });
    await server.settle();
    expect(vendor.asked).toEqual(['POST /templates', `POST /templates/${vendorId}`]);
    expect(vendor.templates.get(vendorId)?.body).toBe('Third');
    expect(await read(id)).toMatchObject({ status: 'pending', body: 'Third', vendorId });
    await decide({ vendorId });
    expect(statusesIn(await hear())).toEqual(['approved', 'pending', 'approved']);
  });

  it('that is changed during its submission is submitted again', async () => {
    vendor.moods.push('hang');
    const { id } = await make();
    const settled = server.settle();
    await expect.poll(() => vendor.asked.length).toBe(1);
    await tenant.put(path(id), { body: 'Later' });
    vendor.release();
    await settled;
    const { vendorId } = await read(id);
    expect(vendor.templates.get(vendorId)?.body).toBe('Later');
    // A decision on the first text would have been ignored.
    expect((await read(id)).status).toBe('pending');
  });

  it('ignores decisions on an earlier text', async () => {
    const { id } = await make();
    await server.settle();
    const { vendorId } = await read(id);
    await tenant.put(path(id), { body: 'Second' });
    await decide({ vendorId });
    expect((await read(id)).status).toBe('pending');
    await server.settle();
    await decide({ vendorId, status: 'rejected', reason: 'First reason' });
    await decide({ vendorId, status: 'rejected', reason: 'Second reason' });
    expect(await read(id)).toMatchObject({ status: 'rejected', rejectionReason: 'Second reason' });
    await decide({ vendorId: 't-of-nobody', name: 'nobody' });
  });

  it('is deleted at the vendor by name and id, so that other languages stay', async () => {
    const english = await make();
    await make({ language: 'de' });
    await server.settle();
    const { vendorId } = await read(english.id);
    expect((await tenant.delete(path(english.id))).body.data.deletedIds).toEqual([english.id]);
    expect((await tenant.get(path(english.id))).status).toBe(404);
    await server.settle();
    expect(vendor.asked.at(-1)).toBe(`DELETE /templates/${vendorId}/shipped`);
    expect([...vendor.templates.values()].map(({ language }) => language)).toEqual(['de']);
  });

  it('that is deleted during its submission is deleted at the vendor afterwards', async () => {
    vendor.moods.push('hang');
    const { id } = await make();
    const settled = server.settle();
    await expect.poll(() => vendor.asked.length).toBe(1);
    await tenant.delete(path(id));
    vendor.release();
    await settled;
    await server.settle();
    expect(vendor.templates.size).toBe(0);
    expect(await tasks()).toEqual([]);
  });

  it('that is deleted and created again waits until the old one is deleted at the vendor', async () => {
    const { id } = await make();
    await server.settle();
    await tenant.delete(path(id));
    vendor.moods.push('busy');
    await server.settle();
    const second = await make({ body: 'Second' });
    await server.settle();
    expect(await read(second.id)).toMatchObject({ status: 'pending', vendorId: null, problem: null });
    server.clock.advance(MINUTE);
    await server.settle();
    expect([...vendor.templates.values()]).toMatchObject([{ body: 'Second' }]);
    expect((await read(second.id)).vendorId).toBe([...vendor.templates.keys()][0]);
  });

  it('is deleted with its channel, together with its tasks', async () => {
    await make();
    await tenant.delete(`/v3/channels/${channelId}`);
    await server.settle();
    expect(vendor.asked).toEqual([]);
    expect(await tasks()).toEqual([]);
  });
});

describe('syncing templates with the vendor', () => {
  const there = (vendorId: string, more: object = {}) =>
    vendor.templates.set(vendorId, {
      vendorId,
      name: `made_${vendorId}`,
      language: 'en',
      category: 'utility',
      status: 'approved',
      reason: null,
      header: null,
      body: 'Made elsewhere {{1}}',
      footer: null,
      buttons: [],
      ...more,
    });

  it('creates new ones, changes different ones, disables missing ones, and returns the counts', async () => {
    const ours = await make();
    const gone = await make({ name: 'gone' });
    await server.settle();
    const { vendorId } = await read(ours.id);
    const hear = listener(server, tenant);
    vendor.templates.delete((await read(gone.id)).vendorId);
    there(vendorId, { name: 'shipped', status: 'rejected', reason: 'No', body: 'Hello' });
    there('a');
    there('b', { status: 'pending' });
    expect(await sync()).toEqual({ created: 2, updated: 1, removed: 1, total: 4, ...nothingLeftOut });
    expect(await read(ours.id)).toMatchObject({ status: 'rejected', rejectionReason: 'No', body: 'Hello' });
    expect(await read(gone.id)).toMatchObject({ status: 'disabled', vendorId: null });
    expect(await named('made_a')).toMatchObject({ vendorId: 'a', status: 'approved', variables: ['1'] });
    expect(statusesIn(await hear())).toEqual(['rejected', 'approved', 'disabled']);
    expect(await sync()).toEqual({ created: 0, updated: 0, removed: 0, total: 4, ...nothingLeftOut });
    expect(await hear()).toEqual([]);
  });

  it('does not change templates that are being submitted or deleted', async () => {
    const deleted = await make({ name: 'deleted' });
    await server.settle();
    await tenant.delete(path(deleted.id));
    const waiting = await make();
    there('x', { name: 'shipped', body: 'Not ours' });
    expect(await sync()).toEqual({ created: 0, updated: 0, removed: 0, total: 1, ...nothingLeftOut });
    expect((await read(waiting.id)).body).toBe(good().body);
  });

  it('matches existing templates by name and language', async () => {
    there('y', { name: 'shipped', body: 'Theirs' });
    const { id } = await make();
    await server.settle();
    expect(await read(id)).toMatchObject({ status: 'rejected', vendorId: null });
    expect(await sync()).toEqual({ created: 0, updated: 1, removed: 0, total: 1, ...nothingLeftOut });
    expect(await read(id)).toMatchObject({ status: 'approved', vendorId: 'y', body: 'Theirs' });
  });

  it('keeps what the vendor does not return: the file of a header, and the name of a URL’s variable', async () => {
    const { id } = await make({
      header: { type: 'image', url: 'https://example.com/a.png' },
      buttons: [{ type: 'url', text: 'Look', url: 'https://example.com/{{order}}' }],
    });
    await server.settle();
    const before = await read(id);
    const theirs = vendor.templates.get(before.vendorId);
    there(before.vendorId, {
      ...theirs,
      header: { type: 'image', text: null, url: null },
      buttons: [{ type: 'url', text: 'Look', url: 'https://example.com/{{1}}', phoneNumber: null }],
    });
    expect(await sync()).toMatchObject({ updated: 0 });
    expect(await read(id)).toEqual(before);
  });

  it('ignores types that are not supported', async () => {
    there('z', {
      header: { type: 'hologram', text: null, url: null },
      buttons: [
        { type: 'voice_call', text: 'Call', url: null, phoneNumber: null },
        { type: 'quick_reply', text: 'Yes', url: null, phoneNumber: null },
      ],
    });
    await sync();
    expect(await named('made_z')).toMatchObject({ header: null, buttons: [{ text: 'Yes' }] });
  });

  it('returns the vendor’s error, and whether to try again', async () => {
    vendor.moods.push('refuse', 'busy');
    const refused = await tenant.post('/v3/message_templates/sync', { channelId });
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'Conflict: the vendor says: not in this tone',
    ]);
    const busy = await tenant.post('/v3/message_templates/sync', { channelId });
    expect([busy.status, busy.headers['retry-after']]).toEqual([503, '1']);
  });

  it('A2: refuses a channel of another tenant', async () => {
    const other = await server.tenant();
    const answer = await other.post('/v3/message_templates/sync', { channelId });
    expect(answer.body.error.invalidParams).toEqual({
      channelId: { key: 'custom', message: `There is no channel ${channelId}` },
    });
    expect(vendor.asked).toEqual([]);
  });

  it('with an Idempotency-Key runs once: a conflict meanwhile, then replayed, and free again after a failure', async () => {
    const keyed = (body = { channelId }) =>
      tenant.post('/v3/message_templates/sync', body, { headers: { 'idempotency-key': 'k' } });
    vendor.moods.push('busy');
    expect((await keyed()).status).toBe(503);
    there('a');
    vendor.moods.push('hang');
    const first = keyed();
    await expect.poll(() => vendor.asked.length).toBe(2);
    const second = await keyed();
    expect([second.status, second.body.error.message]).toEqual([409, expect.stringContaining('in flight')]);
    const other = await keyed({ channelId: (await tenant.channel()).id });
    expect(other.body.error.messageKey).toBe('idempotency_key_reused');
    vendor.release();
    expect((await first).body.data.created).toBe(1);
    const replayed = await keyed();
    expect([replayed.headers['idempotent-replayed'], replayed.text]).toEqual(['true', (await first).text]);
    expect(vendor.asked).toHaveLength(2);
  });

  it('can be repeated five minutes after its process died with the key reserved, and the late process changes nothing', async () => {
    const keyed = () =>
      tenant.post('/v3/message_templates/sync', { channelId }, { headers: { 'idempotency-key': 'k' } });
    there('a');
    vendor.moods.push('hang');
    const late = keyed();
    await expect.poll(() => vendor.asked.length).toBe(1);
    server.clock.advance(5 * MINUTE);
    const answer = await keyed();
    expect(answer.body.data).toEqual({ created: 1, updated: 0, removed: 0, total: 1, ...nothingLeftOut });
    there('b');
    vendor.release();
    expect((await late).status).toBe(409);
    expect(await named('made_b')).toBeUndefined();
    expect((await keyed()).text).toBe(answer.text);
  });
});
