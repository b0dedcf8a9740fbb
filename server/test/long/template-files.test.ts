import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { upload } from '../kit/files.ts';
import { approvedTemplate, customers, openChat, outboxOf, send, type TestChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let tenant: TestTenant;
let channel: { id: string };
let chat: TestChat;
let templateId: string;
let fileId: string;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel('whatsapp');
  chat = await openChat(server, tenant, channel);
  templateId = await approvedTemplate(server, tenant, {
    channelId: channel.id,
    name: 'picture',
    body: 'Look, {{name}}',
    header: { type: 'image', url: 'https://example.com/default.png' },
  });
  // As a template that was taken over from Meta: its example expires and is no default.
  await server.system.db.query(
    `update message_templates set header = '{"type": "image", "text": null, "url": null}' where id = $1`,
    [templateId],
  );
  fileId = (await upload(tenant, PNG, 'picture.png')).body.data.id;
});

const variables = { name: 'Ada' };
const issuesOf = async (path: string, body: object) => {
  const answer = await tenant.post(path, body);
  expect(answer.status).toBe(400);
  return answer.body.error.invalidParams as Record<string, { key: string; message: string }>;
};
const sentFiles = async () =>
  (await outboxOf(tenant, channel)).map(({ content }: { content: { media: { url: string }[] } }) =>
    content.media.map(({ url }) => url),
  );

describe('a template with a picture', () => {
  it('is refused without one, when it is asked for', async () => {
    const path = `/v3/chats/${chat.id}/messages`;
    expect(await issuesOf(path, { template: { templateId, variables } })).toEqual({
      'template.header': { key: 'invalid_type', message: expect.stringContaining('needs an image') },
    });
    const step = { id: 'send', type: 'send_template', parameters: { templateId, variables } };
    const definition = { name: 'x', trigger: { type: 'api' }, steps: [step] };
    expect(Object.keys(await issuesOf('/v3/automations', definition))).toEqual(['steps.0.parameters.header']);
    const automationId = await automationOf(tenant);
    const campaign = { channelId: channel.id, name: 'x', automationId, messageTemplateId: templateId };
    expect(Object.keys(await issuesOf('/v3/campaigns', campaign))).toEqual(['templateHeader']);
    expect(await outboxOf(tenant, channel)).toEqual([]);
  });

  it('is sent with an uploaded file or a URL', async () => {
    const url = 'https://example.com/own.png';
    const byFile = await send(tenant, chat, { template: { templateId, variables, header: { fileId } } });
    expect(byFile.media).toMatchObject([{ fileId, mimeType: 'image/png' }]);
    await send(tenant, chat, { template: { templateId, variables, header: { url } } });
    await server.settle();
    expect(await sentFiles()).toEqual([[expect.stringContaining('picture.png')], [url]]);
  });

  it('is refused with what is no picture, does not exist, or has no place', async () => {
    const path = `/v3/chats/${chat.id}/messages`;
    const text = (await upload(tenant, 'hello', 'hello.txt')).body.data.id;
    const plain = await approvedTemplate(server, tenant, { channelId: channel.id, name: 'plain' });
    for (const [template, at] of [
      [{ templateId, variables, header: { fileId: text } }, 'template.header'],
      [{ templateId, variables, header: { fileId: templateId } }, 'template.header.fileId'],
      [{ templateId, variables, header: { url: 'http://10.0.0.1/x.png' } }, 'template.header.url'],
      [{ templateId, variables, header: {} }, 'template.header'],
      [{ templateId, variables, header: { fileId, url: 'https://example.com/x.png' } }, 'template.header'],
      [{ templateId, variables, header: { fileID: fileId } }, 'template.header.fileID'],
      [{ templateId: plain, header: { fileId } }, 'template.header'],
    ] as const)
      expect(Object.keys(await issuesOf(path, { template }))).toEqual([at]);
  });

  it('is sent by a step, with Liquid in the URL', async () => {
    const parameters = {
      templateId,
      variables: { name: '{{ contact.firstName | default: "you" }}' },
      header: { url: 'https://example.com/{{ contact.firstName | default: "nobody" }}.png' },
    };
    const id = await automationOf(tenant, { steps: [{ id: 'send', type: 'send_template', parameters }] });
    await tenant.put(`/v3/contacts/${chat.contactId}`, { firstName: 'Ada' });
    await tenant.post(`/v3/automations/${id}/trigger`, { contactId: chat.contactId });
    await server.settle();
    expect(await sentFiles()).toEqual([['https://example.com/Ada.png']]);
  });

  it('is sent by a campaign in place of the step’s, and is shown by it', async () => {
    const other = await approvedTemplate(server, tenant, {
      channelId: channel.id,
      name: 'other',
      body: 'Hi {{name}}',
    });
    const automationId = await automationOf(tenant, {
      trigger: { type: 'campaign' },
      steps: [{ id: 'send', type: 'send_template', parameters: { templateId: other, variables } }],
    });
    const made = await tenant.post('/v3/campaigns', {
      channelId: channel.id,
      name: 'x',
      automationId,
      messageTemplateId: templateId,
      templateHeader: { fileId },
      contacts: [{ phoneNumber: customers.whatsapp }],
    });
    expect(made.body.data.templateHeader).toEqual({ fileId });
    await server.settle();
    expect(await sentFiles()).toEqual([[expect.stringContaining('picture.png')]]);
  });
});

describe('a send_message step', () => {
  const sendStep = async (parameters: object, kind: 'whatsapp' | 'email' = 'whatsapp') => {
    const target = kind === 'whatsapp' ? channel : await tenant.channel(kind);
    const to = kind === 'whatsapp' ? chat : await openChat(server, tenant, target, customers[kind]);
    const id = await automationOf(tenant, {
      trigger: { type: 'api', parameters: { channelId: target.id } },
      variables: [{ name: 'day', type: 'string', default: 'Monday' }],
      steps: [{ id: 'send', type: 'send_message', parameters }],
    });
    await tenant.post(`/v3/automations/${id}/trigger`, { contactId: to.contactId });
    await server.settle();
    return (await outboxOf(tenant, target)).at(-1);
  };

  it('sends buttons with a header, a footer and Liquid everywhere', async () => {
    const sent = await sendStep({
      text: 'See you on {{ variables.day }}?',
      interactive: {
        header: { text: '{{ variables.day }}' },
        footer: 'Dr. {{ contact.fullName }}',
        buttons: [
          { id: 'yes-{{ variables.day }}', title: 'Yes' },
          { id: 'no', title: 'Not {{ variables.day }}' },
        ],
      },
    });
    expect(sent).toMatchObject({
      type: 'interactive',
      text: 'See you on Monday?',
      content: {
        header: { text: 'Monday' },
        buttons: [
          { id: 'yes-Monday', title: 'Yes' },
          { id: 'no', title: 'Not Monday' },
        ],
      },
    });
  });

  it('sends a picture above buttons, a list, a location and several files', async () => {
    const buttons = [{ id: 'a', title: 'A' }];
    expect(await sendStep({ text: 'Look', media: { fileId }, interactive: { buttons } })).toMatchObject({
      type: 'interactive',
      content: { media: [{ filename: 'picture.png' }], buttons },
    });
    const list = { button: 'Choose', sections: [{ rows: [{ id: '{{ variables.day }}', title: 'Day' }] }] };
    expect(
      (await sendStep({ text: 'When?', interactive: { list } })).content.list.sections[0].rows[0].id,
    ).toBe('Monday');
    expect(
      await sendStep({ location: { latitude: 1.5, longitude: 2, name: '{{ variables.day }}' } }),
    ).toMatchObject({
      type: 'location',
      content: { latitude: 1.5, name: 'Monday' },
    });
    const files = await sendStep(
      { text: 'Both', media: [{ fileId }, { fileId, filename: '{{ variables.day }}.png' }] },
      'email',
    );
    expect(files.content.media.map(({ filename }: { filename: string }) => filename)).toEqual([
      'picture.png',
      'Monday.png',
    ]);
  });

  it('sends a mail with its subject and HTML', async () => {
    const email = { subject: 'On {{ variables.day }}', html: '<b>{{ variables.day }}</b>' };
    expect(await sendStep({ text: 'On {{ variables.day }}', email }, 'email')).toMatchObject({
      type: 'email',
      content: { subject: 'On Monday', html: '<b>Monday</b>' },
    });
  });

  it('names what it cannot be', async () => {
    for (const [parameters, at] of [
      [{ interactive: { buttons: [{ id: 'a', title: 'A' }], list: {} }, text: 'x' }, 'interactive'],
      [{ interactive: { footer: 'x' }, text: 'x' }, 'interactive'],
      [{ text: 'x', media: [{ fileId, url: 'https://example.com/x.png' }] }, 'media.0'],
      [{ text: 'x', email: { subject: '{{ x' } }, 'email.subject'],
      [{ text: 'x', footer: 'x' }, 'footer'],
      [{}, ''],
    ] as const) {
      const step = { id: 'send', type: 'send_message', parameters };
      const issues = await issuesOf('/v3/automations', {
        name: 'x',
        trigger: { type: 'api' },
        steps: [step],
      });
      const path = `steps.0.parameters${at === '' ? '' : `.${at}`}`;
      expect(Object.keys(issues).some((one) => one.startsWith(path))).toBe(true);
    }
  });
});
