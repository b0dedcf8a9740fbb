import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import '../../../src/app.ts';
import '../../../src/queues.ts';
import '../../../src/system.ts';
import { declaredStatements } from '../../../src/db/statement.ts';

/**
 * Tables with rows of a tenant, channel or contact that may be being deleted. A statement reads the row that it is about
 * through its view `visible_…`; rows that belong to that row need none, and each view takes 10 µs.
 * Automations and deliveries have views too, for their queues: whatever else could reach them needs a token of the tenant.
 */
const TABLES = [
  'tenants',
  'channels',
  'contacts',
  'chats',
  'messages',
  'media_fetches',
  'inbound',
  'campaigns',
  'recipients',
  'automation_runs',
  'events',
  'files',
];

/** Statements that use a table all the same, and why. */
const EXCEPTIONS: Record<string, string> = {
  'events.delete_orphans':
    'while the tenant is being deleted its job deletes them, in the order of its locks',
};

/** Rows are inserted into the tables and deleted from them; `for update of` names an alias. */
const USES = new RegExp(
  String.raw`(?<!\bdelete\s+)\b(?:from|join|using|update)\s+(?:only\s+|lateral\s+)?(${TABLES.join('|')})\b(?!\.)`,
  'gi',
);

const usesIn = (text: string): string[] => [...text.matchAll(USES)].map(([, table]) => table as string);

it.each([
  ['select * from messages m where m.id = $1', ['messages']],
  ['select id from chats', ['chats']],
  ['select * from a join contacts p on true', ['contacts']],
  ['delete from a using channels c', ['channels']],
  ['update messages m set text = null', ['messages']],
  ['exists (select 1 from\n files)', ['files']],
  ['select * from visible_messages m join visible_chats on true', []],
  ['insert into messages (id) values ($1)', []],
  ['insert into a select 1 on conflict do update set b = 1', []],
  ['select 1 from a for no key update of messages', []],
  ['delete from messages where id = $1', []],
  ['select * from message_templates t', []],
  ['select messages from other', []],
])('finds the tables that a statement uses: %s', (text, expected) => {
  expect(usesIn(text)).toEqual(expected);
});

it('I10: statements read and update views without what is being deleted', () => {
  const found = declaredStatements().filter(
    ({ text, isRemoval }) => !isRemoval && usesIn(text).length > 0 && !/\bvisible_/.test(text),
  );
  expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(EXCEPTIONS).sort());
});

it('I10: searches read views without what is being deleted', () => {
  const src = fileURLToPath(new URL('../../../src', import.meta.url));
  const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/\bfrom: ['"`]([^'"`]*)/g)].map(
        ([, text]) => `from ${text}`,
      ),
    );
  expect(sources.length).toBeGreaterThan(10);
  expect(sources.filter((text) => usesIn(text).length > 0)).toEqual([]);
});
