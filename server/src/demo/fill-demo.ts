import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { type ChannelCredentials, findAllCredentials } from '../channels/channel.ts';
import { receiveRequest } from '../channels/receive-request.ts';
import { createContact } from '../contacts/create-contact.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { createLabel } from '../labels/label.ts';
import type { AdapterContext } from '../providers/adapter.ts';
import type { Adapters } from '../providers/adapters.ts';
import { sandbox } from '../providers/sandbox/sandbox.ts';
import { writeAsCustomer } from '../providers/sandbox/write.ts';
import { createTemplate } from '../templates/change-template.ts';
import { demoContacts, demoConversations, demoLabels, demoTemplates } from './content.ts';

const lockEmpty = systemStatement<[], { demo_tenant_id: string }>(
  'demo.lock_empty',
  `select demo_tenant_id from installation where demo_tenant_id is not null and demo_filled_at is null for update`,
);
const markFilled = systemStatement<[now: Date]>(
  'demo.mark_filled',
  'update installation set demo_filled_at = $1',
);

export interface DemoDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  adapters: Adapters;
  context: AdapterContext;
}

/**
 * Fills the demo tenant with contacts, labels, templates and conversations in one transaction, so that a start that is
 * killed leaves all or nothing. Returns whether there was anything to do.
 */
export async function fillDemo(deps: DemoDeps): Promise<boolean> {
  return deps.db.systemTransaction(async (tx) => {
    const row = await tx.find(lockEmpty, []);
    if (!row) return false;
    await fillTenant(tx.forTenant(row.demo_tenant_id), deps);
    await tx.run(markFilled, [deps.clock.real()]);
    return true;
  });
}

async function fillTenant(tx: TenantTx, deps: DemoDeps): Promise<void> {
  const channels = new Map<string, ChannelCredentials>();
  for (const channel of await findAllCredentials(tx, deps.keys))
    if (channel.provider === sandbox.provider && !channels.has(channel.kind))
      channels.set(channel.kind, channel);
  const labelIds = new Map<string, string>();
  for (const label of demoLabels) labelIds.set(label.name, (await createLabel(tx, label)).id);
  for (const { labels, ...contact } of demoContacts)
    await createContact(tx, {
      ...contact,
      labels: labels.map((name) => ({ id: labelIds.get(name) as string })),
    });
  for (const { kind, ...template } of demoTemplates) {
    const channel = channels.get(kind);
    if (channel) await createTemplate(tx, { ...template, channelId: channel.id }, deps.adapters);
  }
  const lines = demoConversations.flatMap(({ lines, ...customer }) =>
    lines.map((line) => ({ ...customer, ...line })),
  );
  for (const { kind, from, name, text, minutesAgo } of lines.sort((a, b) => b.minutesAgo - a.minutesAgo)) {
    const channel = channels.get(kind);
    if (!channel) continue;
    const writtenAt = new Date(tx.now.getTime() - minutesAgo * 60_000);
    const message = { from, name, type: 'text' as const, text, media: [], content: {} };
    const url = deps.context.callbackUrl(sandbox.provider, channel.id);
    const { requests } = await writeAsCustomer(message, writtenAt, channel, url);
    for (const request of requests) await receiveRequest(tx, channel, sandbox, request, deps);
  }
}
