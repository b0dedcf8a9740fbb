import { declareQueue } from '../engine/queue.ts';
import { untilItSucceeds } from '../engine/retry.ts';

export const snoozesQueue = declareQueue({
  name: 'chats',
  purpose: 'open chats whose snooze has ended',
  table: 'chats',
  view: 'visible_chats',
  orderingKey: 'channel_id',
  rowsPerCall: 50,
  callsPerKey: 1,
  callsPerProcess: 4,
  retry: untilItSucceeds,
});
