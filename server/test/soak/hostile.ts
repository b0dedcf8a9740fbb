import { setTimeout as delay } from 'node:timers/promises';
import { type ApiAnswer, type FaultTenant, useApiClient } from '../faults/load.ts';
import { cleanUp } from '../kit/clean-up.ts';
import { useTcpServer } from '../kit/listeners.ts';

/** What a hostile tenant does over and over, as long as the test runs. Failures are what it deserves. */
interface Hostile {
  name: string;
  /** Once, before the load. */
  prepare(post: Post): Promise<unknown>;
  /** Again and again. */
  attack(post: Post, prepared: unknown): Promise<unknown>;
}
type Post = (path: string, body: object) => Promise<ApiAnswer>;

const SEARCHES = 20;
/** As many as a filter may have: more are refused before anything is read. */
const CONDITIONS = 20;
/** What each of the searches reads. */
const LONG_MESSAGES = 2_000;
const WEBHOOKS = 50;

const manyTexts = `or(${Array.from({ length: CONDITIONS }, (_, index) => `contains(text,"needle ${index}")`).join(',')})`;

const automation = (name: string, text: string, channelId: string) => ({
  name,
  trigger: { type: 'api' },
  steps: [{ id: 'send', type: 'send_message', parameters: { text, channelId } }],
});

/** Nested captures that double their text, and ranges within ranges. */
const explodingText = `${'{% capture a %}{{ a }}{{ a }}xxxxxxxxxxxxxxxx{% endcapture %}'.repeat(24)}{% for i in (1..100000) %}{% for j in (1..100000) %}{{ i }}{% endfor %}{% endfor %}`;

/** The receivers hang: `url` accepts connections and never answers. */
const hostiles = (hangingUrl: string): Hostile[] => [
  {
    name: 'receivers that hang',
    async prepare(post) {
      for (let number = 0; number < WEBHOOKS; number += 1)
        await post('/v3/api_webhooks', { url: `${hangingUrl}/${number}`, events: [{}] });
      return (await channelOf(post)).id;
    },
    attack: (post, channelId) =>
      post(`/v3/sandbox/${channelId}/inbound`, { from: '+15559990001', text: 'to nobody' }),
  },
  {
    name: 'expensive searches',
    async prepare(post) {
      const { id } = await channelOf(post);
      const text = 'hay '.repeat(350);
      for (let written = 0; written < LONG_MESSAGES; written += SEARCHES)
        await Promise.all(
          Array.from({ length: SEARCHES }, () =>
            post(`/v3/sandbox/${id}/inbound`, { from: '+15559990003', text }),
          ),
        );
    },
    attack: (post) =>
      Promise.all(Array.from({ length: SEARCHES }, () => post('/v3/messages/search', { query: manyTexts }))),
  },
  {
    name: 'exploding texts',
    async prepare(post) {
      const contact = (await post('/v3/contacts', { phoneNumber: '+15559990002' })).body.data;
      const sms = await channelOf(post);
      const made = (await post('/v3/automations', automation('explodes', explodingText, sms.id))).body.data;
      await post(`/v3/automations/${made.id}/publish`, {});
      const email = await channelOf(post, 'email');
      return { contactId: contact.id, automationId: made.id, channelId: email.id };
    },
    async attack(post, prepared) {
      const { contactId, automationId, channelId } = prepared as Record<string, string>;
      await post(`/v3/automations/${automationId}/trigger`, { contactId });
      await post(`/v3/sandbox/${channelId}/inbound`, {
        from: 'mallory@example.com',
        text: 'g:'.repeat(100_000),
      });
    },
  },
];

const channelOf = async (post: Post, kind = 'sms') =>
  (
    await post('/v3/channels', {
      kind,
      provider: 'sandbox',
      name: 'Hostile',
      address: kind === 'email' ? 'hostile@example.com' : '+15559990000',
    })
  ).body.data;

/** What a hostile tenant did, and how it was answered; 0 stands for no answer. */
interface Attacks {
  name: string;
  answers: Map<number, number>;
}

/** Makes tenants hostile until the test ends. */
export async function useHostiles(
  tenants: readonly FaultTenant[],
  target: () => string | undefined,
): Promise<Attacks[]> {
  const hanging = await useTcpServer(() => {});
  const call = useApiClient(SEARCHES);
  let isStopped = false;
  const running: Promise<void>[] = [];
  cleanUp(async () => {
    isStopped = true;
    await Promise.all(running);
  });
  const all: Attacks[] = [];
  for (const [index, hostile] of hostiles(`http://127.0.0.1:${hanging.port}`).entries()) {
    const { token } = tenants[index] as FaultTenant;
    const answers = new Map<number, number>();
    all.push({ name: hostile.name, answers });
    const post: Post = (path, body) =>
      call(target() ?? 'http://127.0.0.1:1', path, { token, body, timeoutMs: 60_000 });
    const prepared = await hostile.prepare(async (path, body) => {
      const answer = await post(path, body);
      if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
      return answer;
    });
    const counted: Post = async (path, body) => {
      const answer = await post(path, body).catch(() => undefined);
      const status = answer?.status ?? 0;
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (answer === undefined) throw new Error('no answer');
      return answer;
    };
    running.push(
      (async () => {
        while (!isStopped) {
          await hostile.attack(counted, prepared).catch(() => {});
          await delay(200);
        }
      })(),
    );
  }
  return all;
}
