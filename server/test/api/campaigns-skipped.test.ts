import { beforeEach, describe, expect, it } from 'vitest';
import { receiveStatuses } from '../../src/messages/inbound/statuses.ts';
import { automationOf, testContacts } from '../kit/campaigns.ts';
import { totalOf } from '../kit/reports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const HELLO = [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello' } }];
const STOPPED = '+15550002111';
const UNDELIVERABLE = '+15550002112';
let tenant: TestTenant;
let channelId: string;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T10:02:03.456Z'));
  tenant = await server.tenant();
  channelId = (await tenant.channel('sms')).id;
  await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: STOPPED, text: 'STOP' });
  const { id } = (await tenant.post('/v3/messages', { channelId, to: UNDELIVERABLE, text: 'Hi' })).body.data;
  await server.settle();
  const { vendorId } = (await tenant.get(`/v3/messages/${id}`)).body.data;
  await server.system.db.query(`update messages set status = 'queued' where id = $1`, [id]);
  const error = { code: '21211', message: 'Unknown' };
  await server.system.db
    .forTenant(tenant.id)
    .transaction((tx) =>
      receiveStatuses(tx, { id: channelId, kind: 'sms' }, [
        { kind: 'status', vendorId, status: 'failed', occurredAt: tx.now, error },
      ]),
    );
});

/** A campaign that has ended. */
async function run(contacts: object[], purpose: string) {
  const automationId = await automationOf(tenant, { steps: HELLO });
  const body = { channelId, automationId, name: 'Sale', purpose, contacts };
  const preview = await tenant.post('/v3/campaigns/preview', body);
  const { id } = (await tenant.post('/v3/campaigns', body)).body.data;
  await server.settle();
  server.clock.advance(60_000);
  await server.settle();
  const { data } = (await tenant.get(`/v3/campaigns/${id}`)).body;
  const recipients = (await tenant.post(`/v3/campaigns/${id}/recipients/search`, {})).body.data;
  return {
    error: data.error?.code ?? null,
    skipped: preview.body.data.skipped,
    status: data.status,
    counts: data.recipientCounts,
    reasons: recipients
      .map((one: { status: string; skipReason: string }) => `${one.status} ${one.skipReason}`)
      .sort(),
  };
}

describe.each(['marketing', 'service'])('a %s campaign', (purpose) => {
  it('skips who sent STOP by SMS and whose number does not exist, as its preview says', async () => {
    const contacts = [{ phoneNumber: STOPPED }, { phoneNumber: UNDELIVERABLE }];
    expect(await run(contacts, purpose)).toEqual({
      error: null,
      skipped: { opted_out: 1, undeliverable: 1 },
      status: 'completed',
      counts: { queued: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 2 },
      reasons: ['skipped opted_out', 'skipped undeliverable'],
    });
  });

  it('is failed if nobody could be reached, and completed if nobody may be', async () => {
    const failing = { phoneNumber: '+15550000001' };
    for (const contacts of [[{ phoneNumber: UNDELIVERABLE }], [{ phoneNumber: UNDELIVERABLE }, failing]])
      expect(await run(contacts, purpose)).toMatchObject({
        status: 'failed',
        error: 'nobody_reached',
        counts: { skipped: 1, failed: contacts.length - 1 },
      });
    expect(await run([{ phoneNumber: STOPPED }], purpose)).toMatchObject({
      status: 'completed',
      error: null,
    });
    expect(await run([{ phoneNumber: UNDELIVERABLE }, ...testContacts(1)], purpose)).toMatchObject({
      status: 'completed',
      error: null,
    });
  });

  it('counts them as failed in no report', async () => {
    await run([{ phoneNumber: STOPPED }, { phoneNumber: UNDELIVERABLE }, ...testContacts(1)], purpose);
    const day = { from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z' };
    expect(await totalOf(tenant, { name: 'campaigns', ...day })).toMatchObject({ sent: 1, failed: 0 });
  });
});
