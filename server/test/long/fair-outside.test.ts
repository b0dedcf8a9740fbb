import { expect, it } from 'vitest';
import type { Adapter } from '../../src/providers/adapter.ts';
import { adapters } from '../../src/providers/adapters.ts';
import { automationOf } from '../kit/automations.ts';
import { mailWith, useImap } from '../kit/imap.ts';
import { useHttpServer, useTcpServer } from '../kit/listeners.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { pigeon, pigeonChannel, postEvents, written } from '../kit/vendor.ts';
import { subscribe, write } from '../kit/webhooks.ts';

/** Everything that waits for servers outside, all of them at the same place. */
interface Outside {
  url: string;
  imapPort: number;
}

/** It waits as long for a file as real vendors do. */
const patientPigeon: Adapter = {
  ...pigeon,
  async fetchMedia({ url }, _channel, { request }) {
    const limits = { deadlineMs: 60_000, maxResponseBytes: 1_000_000 };
    const { body } = await request({ url: String(url), method: 'GET', headers: {}, ...limits });
    return { bytes: body, mimeType: 'image/png', filename: null };
  },
};

const AUTOMATIONS = 3;
const RUNS = 30;
const WEBHOOKS = 6;
const MAILBOXES = 12;
const MEDIA_CHANNELS = 5;

it.each([
  2, 10,
])('X8: %i tenants whose receivers hang do not delay another one: runs, deliveries, media, mailboxes', async (count) => {
  // Every name resolves to this machine, so that each tenant has receivers of its own.
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const server = await useServer({
    timers: true,
    adapters: new Map([...adapters, ['pigeon', patientPigeon]]),
    outbound: { lookup },
    deliveryDeadlineMs: 60_000,
  });
  const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);
  const waiting = new Set<string>();
  const hangingHttp = await useHttpServer((request) => void waiting.add(request.url as string));
  const hangingImap = await useTcpServer(() => {});

  async function contactOf(tenant: TestTenant): Promise<string> {
    return (await tenant.post('/v3/contacts', { phoneNumber: '+15550003333' })).body.data.id;
  }
  async function trigger(
    tenant: TestTenant,
    { url }: Outside,
    automations: number,
    runs: number,
  ): Promise<void> {
    const contactId = await contactOf(tenant);
    for (let number = 0; number < automations; number += 1) {
      const id = await automationOf(tenant, {
        steps: [{ id: 'call', type: 'http_request', parameters: { method: 'GET', url: `${url}/run` } }],
      });
      for (let run = 0; run < runs; run += 1)
        expect((await tenant.post(`/v3/automations/${id}/trigger`, { contactId })).status).toBe(200);
    }
  }
  async function receiveMedia(tenant: TestTenant, { url }: Outside, channels: number, files: number) {
    for (let number = 0; number < channels; number += 1) {
      const channel = await pigeonChannel(tenant);
      const ref = { ref: { url: `${url}/media` }, mimeType: 'image/png', filename: null, size: 70 };
      await postEvents(
        server,
        channel,
        ...Array.from({ length: files }, (_, file) =>
          written(`${number}.${file}`, at(file), { media: [ref] }),
        ),
      );
    }
  }
  async function readMailboxes(
    tenant: TestTenant,
    { imapPort: port }: Outside,
    mailboxes: number,
  ): Promise<void> {
    for (let number = 0; number < mailboxes; number += 1) {
      const address = `help${number}@shop.test`;
      const imap = { host: '127.0.0.1', port, user: 'ada', password: 'right' };
      const config = { from: address, smtp: { host: '127.0.0.1', port: 25 }, imap };
      const channel = { kind: 'email', provider: 'smtp', name: 'Help', address, config };
      expect((await tenant.post('/v3/channels', channel)).status).toBe(200);
    }
  }

  for (let number = 0; number < count; number += 1) {
    const tenant = await server.tenant();
    const bad = {
      url: `http://bad${number}.example:${hangingHttp.port}/${number}`,
      imapPort: hangingImap.port,
    };
    for (let hook = 0; hook < WEBHOOKS; hook += 1) await subscribe(tenant, `${bad.url}/hook/${hook}`);
    const texts = Array.from({ length: 30 }, (_, index) => `message ${index}`);
    await write(tenant, await tenant.channel(), ...texts);
    await trigger(tenant, bad, AUTOMATIONS, RUNS);
    await receiveMedia(tenant, bad, MEDIA_CHANNELS, 8);
    await readMailboxes(tenant, bad, MAILBOXES);
  }
  // Where all places are taken a tenant gets one, for whichever of its webhooks asks first.
  const isHanging = (number: number, what: string): boolean =>
    [...waiting].some((path) => path.startsWith(`/${number}/${what}`));
  const everyKind = (): boolean =>
    Array.from({ length: count }, (_, number) => number).every((number) =>
      ['run', 'hook', 'media'].every((what) => isHanging(number, what)),
    );
  await expect.poll(everyKind, { timeout: 30_000 }).toBe(true);
  await expect.poll(() => hangingImap.sockets.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);

  const good = await server.tenant();
  const receiver = await useReceiver();
  const answering = await useHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end('png');
  });
  const imap = await useImap();
  imap.deliver(mailWith('old'));
  const outside = { url: answering.url, imapPort: imap.port };
  await subscribe(good, receiver.url);
  await write(good, await good.channel(), 'one', 'two', 'three');
  await trigger(good, outside, 1, 5);
  await receiveMedia(good, outside, 1, 3);
  await readMailboxes(good, outside, 1);
  const done = async () =>
    (
      await server.system.db.query(
        `select (select count(*)::int from automation_runs where tenant_id = $1 and status = 'completed') as runs,
                  (select count(*)::int from files where tenant_id = $1) as files,
                  (select count(*)::int from mailboxes where tenant_id = $1 and uid_validity is not null) as mailboxes`,
        [good.id],
      )
    ).rows[0];
  // None of the others gives up sooner than after 15 seconds.
  await expect.poll(done, { timeout: 30_000 }).toEqual({ runs: 5, files: 3, mailboxes: 1 });
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(6);
  await hangingHttp.close();
  await hangingImap.close();
}, 240_000);
