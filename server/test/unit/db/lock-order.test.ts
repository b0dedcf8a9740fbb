import { expect, it } from 'vitest';
import '../../../src/app.ts';
import '../../../src/queues.ts';
import { declaredStatements } from '../../../src/db/statement.ts';

/** Statements that lock a row to delete it, or that hold off new references to it. */
const DELETING = new Set([
  'attributes.lock',
  'automation_runs.erase_of_contact',
  'channels.lock',
  'chats.lock_to_delete',
  'chats.lock_to_merge',
  'chats.some_of_channel',
  'contacts.lock_chats_to_erase',
  'contacts.lock_handles',
  'contacts.lock_to_erase',
  'contacts.lock_to_merge',
  'delete_tenant.lock_deliveries',
  'events.drop_of_contact',
  'file_removals.lock',
  'handles.lock_owners_to_merge',
  'in_use.lock_attribute',
  'in_use.lock_automation',
  'in_use.lock_channel',
  'in_use.lock_file',
  'in_use.lock_label',
  'in_use.lock_secret',
  'in_use.lock_segment',
  'in_use.lock_team',
  'in_use.lock_template',
  'in_use.lock_user',
  'messages.erase_of_contact',
  'messages.lock_to_cancel',
  'shards.take',
  'tenants.lock_to_delete',
]);

const LOCK = /\bfor (update|no key update|share|key share)\b/g;

it('I8: only deletions lock rows against references; whatever changes no key locks them for no key update', () => {
  const exclusive = declaredStatements().filter(
    // The one row of the installation has nothing that refers to it.
    ({ text }) => /\bfor update\b/.test(text) && !/\bfrom installation\b/.test(text),
  );
  expect(exclusive.map(({ name }) => name).filter((name) => !DELETING.has(name))).toEqual([]);
});

it('I8: a statement that locks several rows locks them in the order of their ids', () => {
  const unordered = declaredStatements().flatMap(({ name, text }) =>
    [...text.matchAll(LOCK)].flatMap(({ index }) => {
      // The query that the lock belongs to: from its last `select` on.
      const query = text.slice(text.lastIndexOf('select', index), index);
      const isOne =
        /\bwhere (\w+\.)?id = (\$\d+|n\.\w+)/.test(query) ||
        /\blimit 1\b|\bfrom (installation|tenant_counters)\b/.test(query);
      const isOrdered = /\border by (\w+\.)?(id|shard|position)\b/.test(query);
      return isOne || isOrdered ? [] : [name];
    }),
  );
  expect([...new Set(unordered)].sort()).toEqual([]);
});
