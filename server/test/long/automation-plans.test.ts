import { expect, it } from 'vitest';
import '../../src/queues.ts';
import { declaredStatements } from '../../src/db/statement.ts';
import { connectToFreshDatabase } from '../kit/explain.ts';

// The tables have no statistics, which leads to the worst plans that are possible.
const client = await connectToFreshDatabase();

async function explainText(name: string): Promise<string[]> {
  const { text } = declaredStatements().find((statement) => statement.name === name) as { text: string };
  const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  await client.query(`prepare explained as ${text}`);
  const { rows } = await client.query(`explain execute explained (${Array(count).fill('null').join(', ')})`);
  await client.query('deallocate explained');
  return rows.map((row) => row['QUERY PLAN']);
}

it.each([
  ['automation_runs.lock', 'automation_runs_pkey'],
  ['automation_runs.lock', 'contacts_pkey'],
  ['automation_runs.lock', 'chats_pkey'],
  ['automation_runs.wake_replied', 'automation_runs_pkey'],
  ['run_replies.insert', 'automation_runs_waiting'],
  ['events.messages', 'messages_pkey'],
  ['automation_runs.advance', 'automation_runs_pkey'],
  ['automation_runs.find_chats', 'chats_by_contact'],
  ['chats.hold_handles', 'handles_by_contact'],
  ['chats.over', 'chats_by_handle'],
  ['chats.by_ids', 'contacts_pkey'],
  ['messages.lock_chats', 'handles_pkey'],
  ['messages.insert_queued', 'chats_pkey'],
  ['messages.record_outcomes', 'chats_pkey'],
])('%s finds its rows by %s and never reads all rows of a tenant', async (name, index) => {
  const plan = (await explainText(name)).join('\n');
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/Cond: \(tenant_id = [\w.$]+\)$/m);
});

it('automations.users_of reads the runs of a version that have not ended, and no others', async () => {
  const plan = (await explainText('automations.users_of')).join('\n');
  expect(plan.match(/on automation_runs\b/g)).toHaveLength(1);
  expect(plan).toContain('using automation_runs_unfinished on automation_runs');
});
