import { afterAll, describe, expect, it } from 'vitest';
import { channelKinds } from '../../src/providers/adapter.ts';
import { type Receiver, startReceiver } from '../kit/receiver.ts';
import { useServer } from '../kit/server.ts';
import { echoed, pigeonChannel, tell, withPigeon } from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const receiver: Receiver = await startReceiver();
afterAll(() => receiver.close());
const at = server.clock.now();

describe('a subscription of version 2', () => {
  it.each(channelKinds)('hears statuses of %s, on Instagram echoes too, and nothing else', async (kind) => {
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
    const statuses = (['sent', 'delivered', 'read'] as const).map((told) => ({
      kind: 'status' as const,
      vendorId: 'e',
      status: told,
      occurredAt: at,
    }));
    for (const channel of [mine, other]) await tell(server, channel, echoed('e', at), ...statuses);
    await server.settle();
    const heard = receiver.received.map(({ body }) => [body.type, body.channelId, body.data.status]);
    expect(heard.toSorted()).toEqual([
      ...echo.map((type) => [type, mine.id, 'sent']),
      [status, mine.id, 'delivered'],
      [status, mine.id, 'read'],
    ]);
  });
});
