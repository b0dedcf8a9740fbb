import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { type ChannelCredentials, findChannelsOf } from '../channels/channel.ts';
import { receiveRequest } from '../channels/receive-request.ts';
import { createContact } from '../contacts/create-contact.ts';
import type { Database, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/outbox.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { createLabel } from '../labels/label.ts';
import type { Adapter, AdapterContext } from '../providers/adapter.ts';
import { sandbox } from '../providers/sandbox/sandbox.ts';
import { writeAsCustomer } from '../providers/sandbox/write.ts';
import { createTemplate } from '../templates/change-template.ts';
import { demoContacts, demoConversations, demoLabels, demoTemplates } from './content.ts';

const lockEmpty = statement<[], { demo_tenant_id: string }>(
  'demo.lock_empty',
  `select demo_tenant_id from installation where demo_tenant_id is not null and demo_filled_at is null for update`,
);
const markFilled = statement<[now: Date]>('demo.mark_filled', 'update installation set demo_filled_at = $1');

export interface DemoDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps;
  publisher: Publisher;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
}

/**
 * Gives the demo tenant people who write, labels and templates, in one transaction: a start that is killed leaves all of
 * it or nothing, and then the next one does it. Says whether there was anything to do.
 */
export async function fillDemo(deps: DemoDeps): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const row = await tx.find(lockEmpty, []);
    if (!row) return false;
    await fill(tx, row.demo_tenant_id, deps);
    await tx.run(markFilled, [deps.clock.real()]);
    return true;
  });
}

async function fill(tx: Tx, tenantId: string, deps: DemoDeps): Promise<void> {
  const now = deps.clock.now(tenantId);
  const channels = new Map<string, ChannelCredentials>();
  for (const channel of await findChannelsOf(tx, tenantId, deps.keys))
    if (channel.provider === sandbox.provider && !channels.has(channel.kind))
      channels.set(channel.kind, channel);
  const labelIds = new Map<string, string>();
  for (const label of demoLabels) labelIds.set(label.name, (await createLabel(tx, tenantId, label, now)).id);
  for (const { labels, ...person } of demoContacts)
    await createContact(
      tx,
      tenantId,
      { ...person, labels: labels.map((name) => ({ id: labelIds.get(name) as string })) },
      deps,
    );
  for (const { kind, ...template } of demoTemplates) {
    const channel = channels.get(kind);
    if (channel) await createTemplate(tx, tenantId, { ...template, channelId: channel.id }, deps);
  }
  const lines = demoConversations.flatMap(({ lines, ...who }) => lines.map((line) => ({ ...who, ...line })));
  for (const { kind, from, name, text, minutesAgo } of lines.sort((a, b) => b.minutesAgo - a.minutesAgo)) {
    const channel = channels.get(kind);
    if (!channel) continue;
    const at = new Date(now.getTime() - minutesAgo * 60_000);
    const said = { from, name, type: 'text' as const, text, media: [], content: {} };
    const url = deps.context.callbackUrl(sandbox.provider, channel.id);
    const { requests } = await writeAsCustomer(said, at, channel, url);
    for (const request of requests) await receiveRequest(tx, channel, sandbox, request, deps);
  }
}
