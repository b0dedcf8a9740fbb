import type { Notification } from '@parley/sdk';
import type { Translator } from '../i18n/i18n.tsx';

/** What happened, by whom if somebody did it. */
export function describeNotification(
  { type, causedBy, teamId, count }: Notification,
  t: Translator['t'],
): string {
  const name = causedBy?.name ?? t('notifications.somebody');
  switch (type) {
    case 'mentioned':
      return t(teamId === null ? 'notifications.mentioned' : 'notifications.teamMentioned', { name });
    case 'assigned':
      return t(teamId === null ? 'notifications.assigned' : 'notifications.teamAssigned', { name });
    case 'message_received':
      return t('notifications.received', { count });
    case 'snooze_ended':
      return t('notifications.snoozeEnded');
    case 'message_failed':
      return t('notifications.failed', { count });
  }
}
