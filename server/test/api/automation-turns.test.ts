import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { outboxOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const HOUR = 3_600_000;
let tenant: TestTenant;
let channelId: string;

beforeEach(async () => {
  tenant = await server.tenant();
  channelId = (await tenant.channel('sms')).id;
  await tenant.post('/v3/attributes', { name: 'Greeted', externalId: 'greeted' });
});

const contactOf = async (phoneNumber: string): Promise<string> =>
  (await tenant.post('/v3/contacts', { phoneNumber })).body.data.id;

/** Greets a contact once, in two messages. */
const greetOnce = () => ({
  trigger: { type: 'api', parameters: { channelId } },
  variables: [{ name: 'number', type: 'number' }],
  steps: [
    {
      id: 'decide',
      type: 'branch',
      parameters: { cases: [{ when: 'isNull(attributes.greeted)', next: 'greet' }], else: 'again' },
    },
    { id: 'again', type: 'send_message', parameters: { text: 'Again {{ variables.number }}' }, next: 'end' },
    { id: 'greet', type: 'send_message', parameters: { text: 'Hello {{ variables.number }}' } },
    { id: 'note', type: 'set_attribute', parameters: { externalId: 'greeted', value: 'yes' } },
    { id: 'more', type: 'send_message', parameters: { text: 'Welcome {{ variables.number }}' } },
    { id: 'end', type: 'end' },
  ],
});

/** Runs that become due at the same moment, so that one batch has all of them. */
async function runAtOnce(automationId: string, contactIds: string[]): Promise<string[]> {
  const scheduledAt = new Date(server.clock.now().getTime() + HOUR).toISOString();
  const runIds: string[] = [];
  for (const [number, contactId] of contactIds.entries()) {
    const body = { contactId, scheduledAt, variables: { number } };
    const { headers } = await tenant.post(`/v3/automations/${automationId}/trigger`, body);
    runIds.push(headers['x-automation-run-id'] as string);
  }
  server.clock.advance(HOUR);
  await server.settle();
  return runIds;
}
const sentTo = async (to: string): Promise<string[]> =>
  (await outboxOf(tenant, { id: channelId }))
    .filter((sent: { to: string }) => sent.to === to)
    .map(({ text }: { text: string }) => text);
const statusOf = async (runId: string): Promise<string> =>
  (await tenant.get(`/v3/automation_runs/${runId}`)).body.data.status;

describe('runs of the same contact that are due at once', () => {
  it('come one after the other: each sees what the one before has changed', async () => {
    const [ada, grace] = ['+15550001111', '+15550002222'];
    const [adaId, graceId] = [await contactOf(ada), await contactOf(grace)];
    const automationId = await automationOf(tenant, greetOnce());
    const runIds = await runAtOnce(automationId, [adaId, adaId, graceId, adaId, graceId]);
    expect(await sentTo(ada)).toEqual(['Hello 0', 'Welcome 0', 'Again 1', 'Again 3']);
    expect(await sentTo(grace)).toEqual(['Hello 2', 'Welcome 2', 'Again 4']);
    expect(await Promise.all(runIds.map(statusOf))).toEqual(Array(5).fill('completed'));
  });
});

it('a step sees what the step before has changed, in the contact and in the contact of the chat', async () => {
  const labelId = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data.id;
  const text =
    '{{ contact.labels | map: "name" }} {{ chat.contact.labels | map: "name" }} {{ chat.contact.attributes | map: "value" }}';
  await automationOf(tenant, {
    trigger: { type: 'message_received' },
    steps: [
      { id: 'label', type: 'add_label', parameters: { labelId } },
      { id: 'note', type: 'set_attribute', parameters: { externalId: 'greeted', value: 'yes' } },
      { id: 'say', type: 'send_message', parameters: { text } },
      { id: 'close', type: 'set_chat_status', parameters: { status: 'closed' } },
      { id: 'off', type: 'remove_label', parameters: { labelId } },
      { id: 'more', type: 'send_message', parameters: { text: `{{ chat.status }} ${text}` } },
    ],
  });
  await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'Hello' });
  await server.settle();
  expect(await sentTo('+15550001111')).toEqual(['VIP VIP yes', 'closed   yes']);
});
