import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LockedChat } from '../../../../src/chats/find-or-create.ts';
import { nextChatState } from '../../../../src/messages/inbound/next-chat-state.ts';

const HOUR = 3600_000;
const chat = (given: Partial<LockedChat> = {}): LockedChat => ({
  handle_type: 'phone_number',
  handle_value: '+15550001111',
  id: 'chat',
  contact_id: 'contact',
  status: 'open',
  unread_count: 0,
  read_at: null,
  open_until: null,
  latest_message_id: null,
  latest_message_at: null,
  is_sensitive: false,
  waiting_since: null,
  handle_id: 'handle',
  is_undeliverable: false,
  is_assigned: false,
  is_primary: true,
  first_name: null,
  last_name: null,
  other_handles: null,
  ...given,
});
const message = (id: string, ms: number, sender: 'inbound' | 'outbound' = 'inbound') => ({
  id,
  sender,
  timestamp: new Date(ms),
  is_automatic: false,
});

describe('the next state of a chat', () => {
  const messages = fc.array(fc.nat(20), { minLength: 1, maxLength: 20 }).chain((times) =>
    fc.record({
      times: fc.constant(times),
      cuts: fc.array(fc.nat(times.length), { maxLength: 3 }),
      repliedAt: fc.option(fc.nat(20), { nil: null }),
      order: fc.shuffledSubarray(
        times.map((_, at) => at),
        { minLength: times.length },
      ),
    }),
  );

  it('is the same for any order and any batches of messages', () => {
    fc.assert(
      fc.property(messages, ({ times, cuts, repliedAt, order }) => {
        const rows = times.map((ms, at) => message(String(at).padStart(3, '0'), ms));
        // The business replied elsewhere at some time.
        const read_at = repliedAt === null ? null : new Date(repliedAt);
        const stored = { count: 0, since: null, repliedAt: read_at };
        let current = chat({ read_at });
        let unread = 0;
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), rows.length];
        for (const [at, end] of bounds.slice(1).entries()) {
          const batch = order
            .slice(bounds[at], end)
            .map((which) => rows[which] as ReturnType<typeof message>);
          if (batch.length === 0) continue;
          const after = nextChatState(current, batch, HOUR, stored);
          unread += after.unread;
          current = {
            ...current,
            latest_message_id: after.latestId,
            latest_message_at: after.latestAt,
            open_until: after.openUntil,
            waiting_since: after.waitingSince,
          };
        }
        // The model: sort everything by time and id, and look at the last.
        const last = times.map((ms, at) => ({ ms, at })).sort((a, b) => a.ms - b.ms || a.at - b.at)[
          times.length - 1
        ] as { ms: number; at: number };
        const unanswered = times.filter((ms) => repliedAt === null || ms > repliedAt);
        expect(unread).toBe(unanswered.length);
        expect(current.latest_message_id).toBe(String(last.at).padStart(3, '0'));
        expect(current.latest_message_at).toEqual(new Date(last.ms));
        expect(current.open_until).toEqual(new Date(last.ms + HOUR));
        expect(current.waiting_since).toEqual(
          unanswered.length === 0 ? null : new Date(Math.min(...unanswered)),
        );
      }),
    );
  });

  it('moves neither the latest message nor the reply window back for an old message', () => {
    const current = chat({
      latest_message_id: 'new',
      latest_message_at: new Date(10 * HOUR),
      open_until: new Date(11 * HOUR),
    });
    expect(nextChatState(current, [message('old', HOUR)], HOUR)).toEqual({
      chatId: 'chat',
      unread: 1,
      latestId: 'new',
      latestAt: new Date(10 * HOUR),
      openUntil: new Date(11 * HOUR),
      reopens: true,
      answeredAt: null,
      repliedAt: null,
      waitingSince: new Date(HOUR),
    });
  });

  it('counts only messages after a reply, in any order, including stored ones', () => {
    const current = chat({ unread_count: 5, waiting_since: new Date(0) });
    const arrived = [message('a', 1), message('b', 3), message('c', 2, 'outbound')];
    for (const batch of [arrived, arrived.toReversed()])
      expect(
        nextChatState(current, batch, null, { count: 2, since: new Date(4), repliedAt: null }),
      ).toMatchObject({
        unread: 2 + 1 - 5,
        repliedAt: new Date(2),
        waitingSince: new Date(3),
      });
  });

  it('ignores replies from before the last read', () => {
    const current = chat({ unread_count: 1, read_at: new Date(5), status: 'closed' });
    expect(nextChatState(current, [message('a', 4, 'outbound')], HOUR)).toMatchObject({
      unread: 0,
      repliedAt: null,
      reopens: false,
      openUntil: null,
    });
  });

  it('waits since the first message after a reply elsewhere, also if the chat was read since', () => {
    const current = chat({
      read_at: new Date(6),
      waiting_since: new Date(1),
      latest_message_at: new Date(5),
    });
    const stored = { count: 1, since: new Date(5), repliedAt: null };
    expect(nextChatState(current, [message('a', 3, 'outbound')], HOUR, stored)).toMatchObject({
      unread: 0,
      answeredAt: new Date(3),
      repliedAt: null,
      waitingSince: new Date(5),
    });
  });

  it('does not wait for an answer to an automatic message', () => {
    const automatic = { ...message('a', 1), is_automatic: true };
    expect(nextChatState(chat(), [automatic], null).waitingSince).toBeNull();
  });

  it('has no reply window if the channel has none', () => {
    expect(nextChatState(chat(), [message('a', 1)], null).openUntil).toBeNull();
  });
});
