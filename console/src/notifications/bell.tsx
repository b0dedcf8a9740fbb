import { useEffect } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { useCommands } from '../keys/commands.ts';
import { useKeys } from '../keys/keys.ts';
import { useLiveState } from '../live/live-provider.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import { refreshNotifications, useNotifications } from './data.ts';
import { useDesktopNotifications } from './desktop.ts';
import styles from './notifications.module.css';
import { PANEL_ID, Panel } from './panel.tsx';

/** Opens the list. It says how many notifications are unread. */
export function BellButton({ className }: { className: string | undefined }) {
  const t = useText();
  const count = useNotifications().data?.unreadCount ?? 0;
  const label = count === 0 ? t('notifications.title') : t('notifications.unread', { count });
  return (
    <button
      type="button"
      className={classes(styles.bell, className)}
      popoverTarget={PANEL_ID}
      aria-haspopup="dialog"
      aria-label={label}
      data-tip={`${label} · B`}
    >
      <Icon name="bell" />
      {count > 0 && (
        <span className={styles.count} aria-hidden="true">
          {count > 99 ? '99+' : count}
        </span>
      )}
    </button>
  );
}

/** The list that all bells open, and its key. */
export function NotificationPanel() {
  const t = useText();
  const open = (): void => document.getElementById(PANEL_ID)?.showPopover();
  useKeys([{ keys: 'b', label: t('notifications.open'), group: 'general', run: open }]);
  useCommands([
    {
      id: 'notifications',
      label: t('notifications.open'),
      icon: 'bell',
      keys: 'b',
      group: 'actions',
      run: open,
    },
  ]);
  useMissed();
  useDesktopNotifications();
  return <Panel />;
}

/** The stream does not repeat notifications, and another tab may have marked them. */
function useMissed(): void {
  const state = useLiveState();
  useEffect(() => {
    if (state === 'live') refreshNotifications();
  }, [state]);
  useEffect(() => {
    const check = (): void => {
      if (document.visibilityState === 'visible') refreshNotifications();
    };
    document.addEventListener('visibilitychange', check);
    return () => document.removeEventListener('visibilitychange', check);
  }, []);
}
