import { describe, expect, it } from 'vitest';
import { isKnownPattern, matches } from '../../../src/webhooks/match.ts';

describe('a subscription', () => {
  const event = (type: string, channel_id: string | null = null) => ({ type, channel_id });
  const subscription = (type_pattern: string | null, channel_ids: string[] | null = null) => ({
    type_pattern,
    channel_ids,
  });
  it('matches its type, a prefix, or everything', () => {
    expect(matches(subscription('chat.created'), event('chat.created'))).toBe(true);
    expect(matches(subscription('chat.created'), event('chat.status_changed'))).toBe(false);
    expect(matches(subscription('chat.*'), event('chat.status_changed'))).toBe(true);
    expect(matches(subscription('chat.*'), event('contact.created'))).toBe(false);
    expect(matches(subscription(null), event('contact.created'))).toBe(true);
  });

  it('with channels matches only their events; without, also events without a channel', () => {
    expect(matches(subscription(null, ['a', 'b']), event('chat.created', 'b'))).toBe(true);
    expect(matches(subscription(null, ['a']), event('chat.created', 'b'))).toBe(false);
    expect(matches(subscription(null, ['a']), event('contact.created', null))).toBe(false);
    expect(matches(subscription(null), event('contact.created', null))).toBe(true);
  });

  it('is refused if no event could ever match it', () => {
    for (const pattern of ['chat.*', '*', 'message.received', 'mess*'])
      expect(isKnownPattern(pattern)).toBe(true);
    for (const pattern of ['chat', 'order.*', '', 'chat.created.x'])
      expect(isKnownPattern(pattern)).toBe(false);
  });
});
