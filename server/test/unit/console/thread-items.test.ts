import type { Message, Note } from '@parley/sdk';
import { expect, it } from 'vitest';
import { groupEntries } from '../../../../console/src/screens/inbox/thread-items.ts';

const message = (number: number, timestamp: string, sender = 'inbound') =>
  ({
    id: `019a82a0-0000-7000-8000-${String(number).padStart(12, '0')}`,
    sender,
    author: { type: sender === 'inbound' ? 'contact' : 'user', id: sender },
    timestamp,
    createdAt: timestamp,
  }) as Message;

it('messages of the same second are in the order in which they came', () => {
  const at = '2026-11-15T10:00:00.000Z';
  const newestFirst = [message(4, at), message(3, at, 'outbound'), message(2, at), message(1, at)];
  const note = { id: message(5, at).id, author: { id: 'x' }, createdAt: at } as Note;
  const groups = groupEntries(newestFirst, [note], [], false);
  const numbers = groups.map(({ entries }) => entries.map(({ key }) => Number(key.slice(-2))));
  expect(numbers).toEqual([[1, 2], [3], [4], [5]]);
});
