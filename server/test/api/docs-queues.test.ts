import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
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
  const running = [...text.matchAll(/^parley_queue_due\{\w+="(\w+)"\}/gm)].map(([, name]) => name);
  expect(running.length).toBeGreaterThan(0);
  expect(queuesIn(page, start).sort()).toEqual(running.sort());
});
