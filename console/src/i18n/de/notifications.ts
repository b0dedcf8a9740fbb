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
  'notifications.readAll': 'Alle als gelesen markieren',
  'notifications.markRead': 'Als gelesen markieren',
  'notifications.none': 'Nichts Neues',
  'notifications.noneText':
    'Wenn dich jemand erwähnt oder dir einen Chat zuweist, und wenn ein Kunde in einem deiner Chats antwortet, erscheint es hier.',
  'notifications.somebody': 'Jemand',
  'notifications.mentioned': '{name} hat dich in einer Notiz erwähnt',
  'notifications.teamMentioned': '{name} hat dein Team in einer Notiz erwähnt',
  'notifications.assigned': '{name} hat dir einen Chat zugewiesen',
  'notifications.teamAssigned': '{name} hat deinem Team einen Chat zugewiesen',
  'notifications.received': { one: 'Neue Nachricht', other: '{count} neue Nachrichten' },
  'notifications.snoozeEnded': 'Ein zurückgestellter Chat ist wieder da',
  'notifications.failed': {
    one: 'Deine Nachricht konnte nicht zugestellt werden',
    other: '{count} deiner Nachrichten konnten nicht zugestellt werden',
  },
};
