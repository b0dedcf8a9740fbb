/** Texts of the bell. */
export const notifications = {
  'notifications.title': 'Notifications',
  'notifications.open': 'Open the notifications',
  'notifications.unread': {
    one: 'Notifications, {count} unread',
    other: 'Notifications, {count} unread',
  },
  'notifications.isUnread': 'Unread:',
  'notifications.readAll': 'Mark all as read',
  'notifications.markRead': 'Mark as read',
  'notifications.none': 'Nothing new',
  'notifications.noneText':
    'When somebody mentions you or assigns a chat to you, and when a customer answers in a chat of yours, it appears here.',
  'notifications.somebody': 'Somebody',
  'notifications.mentioned': '{name} mentioned you in a note',
  'notifications.teamMentioned': '{name} mentioned your team in a note',
  'notifications.assigned': '{name} assigned a chat to you',
  'notifications.teamAssigned': '{name} assigned a chat to your team',
  'notifications.received': { one: 'New message', other: '{count} new messages' },
  'notifications.snoozeEnded': 'A chat that you snoozed is back',
  'notifications.failed': {
    one: 'Your message could not be delivered',
    other: '{count} of your messages could not be delivered',
  },
} as const;
