import type { Texts } from '../catalogue.ts';
import type { notifications as english } from '../en/notifications.ts';

export const notifications: Texts<typeof english> = {
  'notifications.title': 'Mitteilungen',
  'notifications.open': 'Mitteilungen öffnen',
  'notifications.unread': {
    one: 'Mitteilungen, {count} ungelesen',
    other: 'Mitteilungen, {count} ungelesen',
  },
  'notifications.isUnread': 'Ungelesen:',
  'notifications.readAll': 'Alle gelesen',
  'notifications.markRead': 'Als gelesen markieren',
  'notifications.none': 'Nichts Neues',
  'notifications.noneText':
    'Wenn Sie jemand erwähnt oder Ihnen einen Chat zuweist, und wenn ein Kunde in einem Ihrer Chats antwortet, erscheint es hier.',
  'notifications.somebody': 'Jemand',
  'notifications.mentioned': '{name} hat Sie in einer Notiz erwähnt',
  'notifications.teamMentioned': '{name} hat Ihr Team in einer Notiz erwähnt',
  'notifications.assigned': '{name} hat Ihnen einen Chat zugewiesen',
  'notifications.teamAssigned': '{name} hat Ihrem Team einen Chat zugewiesen',
  'notifications.received': { one: 'Neue Nachricht', other: '{count} neue Nachrichten' },
  'notifications.snoozeEnded': 'Ein zurückgestellter Chat ist wieder da',
  'notifications.failed': {
    one: 'Ihre Nachricht konnte nicht zugestellt werden',
    other: '{count} Ihrer Nachrichten konnten nicht zugestellt werden',
  },
};
