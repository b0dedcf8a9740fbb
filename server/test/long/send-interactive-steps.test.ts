import { describe, expect, it } from 'vitest';
import { customers, openChat, outboxOf } from '../kit/sending.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();

const text = 'Look';
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const link = { title: 'Dates', url: 'https://example.com/dates?a=1' };

describe('the sandbox', () => {
  it('takes all of it and shows it in its outbox', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel('whatsapp');
    await tenant.put(`/v3/sandbox/${channel.id}/faults`, { echoBeforeResponse: true });
    const chat = await openChat(server, tenant, channel);
    const interactive = { flow: { flowId: '1', button: 'Book' } };
    const contacts = [{ name: 'Ada', phoneNumbers: ['+15550001111'] }];
    for (const body of [{ text, interactive }, { contacts }, { text, interactive: { locationRequest: {} } }])
      expect((await tenant.post(`/v3/chats/${chat.id}/messages`, body)).status).toBe(200);
    for (let turn = 0; turn < 4; turn += 1) {
      await server.settle();
      server.clock.advance(300);
    }
    expect(await outboxOf(tenant, channel)).toMatchObject([
      { type: 'interactive', text, content: interactive },
      {
        type: 'contacts',
        content: { contacts: [{ name: 'Ada', phoneNumbers: ['+15550001111'], emails: [] }] },
      },
      { type: 'interactive', content: { locationRequest: {} } },
    ]);
    const { body } = await tenant.post(`/v3/chats/${chat.id}/messages/search`, {
      query: 'eq(sender,"outbound")',
    });
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(['read', 'read', 'read']);
  });
});

describe('a step of an automation', () => {
  const run = async (parameters: object) => {
    const tenant = await server.tenant();
    const channel = await tenant.channel('whatsapp');
    const made = await tenant.post('/v3/automations', {
      name: 'Test',
      trigger: { type: 'message_received', parameters: { channelId: channel.id } },
      variables: [],
      steps: [{ id: 'send', type: 'send_message', parameters }],
    });
    if (made.status !== 200) return { refused: Object.keys(made.body.error.invalidParams) };
    const id = made.body.data.id;
    expect((await tenant.post(`/v3/automations/${id}/publish`)).status).toBe(200);
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
      from: customers.whatsapp,
      name: 'Ada',
      text: 'hi',
    });
    await server.settle();
    const runs = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    const messages = (await tenant.post('/v3/messages/search', {})).body.data;
    return { outbox: await outboxOf(tenant, channel), run: runs[0], messages };
  };

  it('renders every text of it', async () => {
    const { outbox } = await run({
      text: 'Hello {{ contact.firstName }}',
      interactive: {
        flow: {
          flowId: '1',
          button: 'Book',
          screen: 'START',
          data: { who: '{{ contact.firstName }}', n: [1, 'for {{ contact.firstName }}'] },
        },
      },
    });
    expect(outbox).toMatchObject([
      { text: 'Hello Ada', content: { flow: { data: { who: 'Ada', n: [1, 'for Ada'] } } } },
    ]);
    const cards = await run({
      contacts: [{ name: '{{ contact.firstName }}', emails: ['{{ contact.firstName }}@example.com'] }],
    });
    expect(cards.outbox).toMatchObject([
      { content: { contacts: [{ name: 'Ada', emails: ['Ada@example.com'] }] } },
    ]);
  });

  it('reacts to the message that the run is about, quotes it, and sends a file as what it says', async () => {
    const sticker = { url: 'https://example.com/hello', mimeType: 'image/webp' };
    for (const [parameters, type] of [
      [{ reaction: { emoji: '{{ "👍" }}' } }, 'reaction'],
      [{ reaction: { messageId: '{{ message.id }}', emoji: '👍' } }, 'reaction'],
      [{ text: 'Hello', replyToMessageId: '{{ message.id }}' }, 'text'],
      [{ type: 'sticker', media: sticker, replyToMessageId: '{{ message.id }}' }, 'sticker'],
    ] as const) {
      const { outbox, run: done, messages } = await run(parameters);
      expect([type, done.error, outbox.length]).toEqual([type, null, 1]);
      const inbound = messages.find(({ sender }: { sender: string }) => sender === 'inbound');
      const sent = messages.find(({ sender }: { sender: string }) => sender === 'outbound');
      expect(sent).toMatchObject({ type, replyToMessageId: inbound.id });
      if (type === 'reaction') expect(sent.content).toMatchObject({ emoji: '👍' });
      if (type === 'sticker') expect(sent.media).toMatchObject([{ mimeType: 'image/webp' }]);
    }
    expect(await run({ type: 'template', text })).toEqual({ refused: ['steps.0.parameters.type'] });
    expect((await run({ text: 'Hello', replyToMessageId: '{{ null }}' })).run.error).toBeNull();
    for (const replyToMessageId of ['{{ message.text }}', UNKNOWN])
      expect((await run({ text: 'Hello', replyToMessageId })).run).toMatchObject({
        status: 'failed',
        error: { code: 'invalid_body_params', message: expect.stringMatching(/^replyToMessageId: /) },
      });
    expect(await run({ replyToMessageId: '{{ message.id }}' })).toEqual({ refused: ['steps.0.parameters'] });
  });

  it('fails if a rendered text does not fit', async () => {
    const { outbox, run: failed } = await run({
      text,
      interactive: { link: { title: 'A title that is too long for {{ contact.firstName }}', url: link.url } },
    });
    expect(outbox).toEqual([]);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_body_params' } });
  });

  it('is refused with invalid Liquid or unknown keys anywhere in it', async () => {
    const flow = { flowId: '1', button: 'a', screen: 'a' };
    expect(
      await run({ text, interactive: { flow: { ...flow, data: { a: { b: '{{ nobody.name }}' } } } } }),
    ).toEqual({
      refused: ['steps.0.parameters.interactive.flow.data.a.b'],
    });
    expect(await run({ text, interactive: { link: { ...link, colour: 'red' } } })).toEqual({
      refused: ['steps.0.parameters.interactive.link.colour'],
    });
    expect(await run({ text, interactive: { link, flow } })).toEqual({
      refused: ['steps.0.parameters.interactive'],
    });
  });
});
