import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import '../../src/queues.ts';
import { clientConfig } from '../../src/db/database.ts';
import { declaredStatements } from '../../src/db/statement.ts';
import { freshDatabase } from '../kit/server.ts';

/** As the worker's connections are set up, on tables of which the planner knows nothing: the worst plans there will be. */
const client = new pg.Client(
  clientConfig({
    connection: { connectionString: await freshDatabase() },
    applicationName: 'test',
    poolSize: 1,
    readers: 0,
  }),
);
await client.connect();
afterAll(() => client.end());

async function planOf(name: string): Promise<string[]> {
  const { text } = declaredStatements().find((one) => one.name === name) as { text: string };
  const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  await client.query(`prepare asked as ${text}`);
  const { rows } = await client.query(`explain execute asked (${Array(count).fill('null').join(', ')})`);
  await client.query('deallocate asked');
  return rows.map((row) => row['QUERY PLAN']);
}

it.each([
  ['automation_runs.lock', 'automation_runs_pkey'],
  ['automation_runs.advance', 'automation_runs_pkey'],
  ['automation_runs.chats_with', 'chats_by_contact'],
  ['chats.hold_handles', 'handles_by_contact'],
  ['chats.over', 'chats_channel_handle'],
  ['chats.by_ids', 'contacts_pkey'],
  ['messages.lock_chats', 'handles_pkey'],
  ['messages.insert_queued', 'chats_pkey'],
  ['messages.record_outcomes', 'chats_pkey'],
])('%s looks for the rows that it names, by %s, and never through all that a tenant has', async (name, index) => {
  const plan = (await planOf(name)).join('\n');
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/Cond: \(tenant_id = [\w.$]+\)$/m);
});
