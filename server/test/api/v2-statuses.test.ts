import { describe, expect, it } from 'vitest';
import { channelKinds } from '../../src/providers/kinds.ts';
import { useReceiver } from '../kit/receiver.ts';
import { useServer } from '../kit/server.ts';
import { echoed, pigeonChannel, postEvents, withPigeon } from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const receiver = await useReceiver();
const now = server.clock.now();

describe('a webhook of version 2', () => {
  it.each(
    channelKinds,
  )('receives statuses of %s, on Instagram also echoes, and nothing else', async (kind) => {
    const tenant = await server.tenant();
    const mine = await pigeonChannel(tenant, kind);
    const other = await pigeonChannel(tenant, kind === 'sms' ? 'email' : 'sms');
    const status = `${kind.toUpperCase()}_MESSAGE_STATUS`;
    const echo = kind === 'instagram' ? ['INSTAGRAM_MESSAGE_ECHO'] : [];
    for (const type of [status, ...echo]) {
      const body = { tenantId: tenant.id, type, url: receiver.url };
      expect((await tenant.post('/v2/api_webhooks', body)).status).toBe(200);
    }
    receiver.received.length = 0;
    const statuses = (['sent', 'delivered', 'read'] as const).map((reported) => ({
      kind: 'status' as const,
      vendorId: 'e',
      status: reported,
      occurredAt: now,
    }));
    for (const channel of [mine, other]) await postEvents(server, channel, echoed('e', now), ...statuses);
    await server.settle();
    const received = receiver.received.map(({ body }) => [body.type, body.channelId, body.data.status]);
    expect(received.toSorted()).toEqual([
      ...echo.map((type) => [type, mine.id, 'sent']),
      [status, mine.id, 'delivered'],
      [status, mine.id, 'read'],
    ]);
  });
});
