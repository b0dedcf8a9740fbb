import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { queues } from '../../src/queues.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();

/** The first column of the table below a heading or comment. */
function queuesIn(page: string, start: string): string[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const rows = text.slice(text.indexOf(start)).split('\n').slice(1);
  const first = rows.findIndex((row) => row.startsWith('| `'));
  const count = rows.slice(first).findIndex((row) => !row.startsWith('| `'));
  return rows.slice(first, first + count).map((row) => /^\| `(\w+)`/.exec(row)?.[1] as string);
}

it.each([
  ['develop/architecture.md', '<!-- queues'],
  ['operate/metrics.md', '## Queues'],
])('docs/%s lists every queue of a running server and no other', async (page, start) => {
  const { text } = await server.call('GET', '/metrics');
  const running = [...text.matchAll(/^parley_work_due\{\w+="(\w+)"\}/gm)].map(([, name]) => name);
  expect(running.length).toBeGreaterThan(0);
  expect(queuesIn(page, start).sort()).toEqual(running.sort());
});

it('docs/develop/architecture.md names the table and the ordering key of every queue', () => {
  const page = readFileSync(new URL('../../../docs/develop/architecture.md', import.meta.url), 'utf8');
  const nouns = {
    tenant_id: 'tenant',
    id: 'channel',
    channel_id: 'channel',
    webhook_id: 'webhook',
    automation_id: 'automation',
  };
  for (const { queue } of Object.values(queues))
    expect(page).toContain(`| \`${queue.name}\` | \`${queue.table}\` | ${nouns[queue.orderingKey]}`);
});
