import type { Notification } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { EmptyState, Loaded } from '../ui/notices.tsx';
import { moveFocus, placeBeside } from '../ui/popover.ts';
import { RelativeTime } from '../ui/time.tsx';
import { markNotifications, useNotifications } from './data.ts';
import { describeNotification } from './describe.ts';
import styles from './notifications.module.css';

export const PANEL_ID = 'notifications';

/** A window has one bell that is seen: in the rail or in the bar. */
const findBell = (): Element | undefined =>
  [...document.querySelectorAll(`[popovertarget=${PANEL_ID}]`)].find((bell) => bell.checkVisibility());

/** What happened, the newest first. */
export function Panel() {
  const t = useText();
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => popover.current?.hidePopover();
  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moveFocus(event.currentTarget, 'a', step);
  }
  return (
    <div
      ref={popover}
      id={PANEL_ID}
      role="dialog"
      aria-label={t('notifications.title')}
      popover="auto"
      tabIndex={-1}
      className={styles.panel}
      onKeyDown={onKeyDown}
      onBeforeToggle={(event) => setIsOpen(event.newState === 'open')}
      onToggle={(event) => {
        if (event.newState !== 'open') return;
        const bell = findBell();
        if (bell) placeBeside(bell, event.currentTarget);
        event.currentTarget.focus();
      }}
    >
      {isOpen && <Content onClose={close} />}
    </div>
  );
}

function Content({ onClose }: { onClose: () => void }) {
  const t = useText();
  const query = useNotifications();
  return (
    <>
      <header className={styles.header}>
        <h2 className={styles.title}>{t('notifications.title')}</h2>
        <Button
          look="quiet"
          icon="check"
          disabled={!query.data?.unreadCount}
          onClick={() => void markNotifications('all')}
        >
          {t('notifications.readAll')}
        </Button>
      </header>
      <Loaded query={query} lines={4}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="bell" title={t('notifications.none')}>
              {t('notifications.noneText')}
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {items.map((item) => (
                <Item key={item.id} notification={item} onClose={onClose} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

const ICONS: Readonly<Record<Notification['type'], IconName>> = {
  mentioned: 'note',
  assigned: 'assign',
  message_received: 'channel',
  snooze_ended: 'clock',
  message_failed: 'warning',
};

function Item({ notification, onClose }: { notification: Notification; onClose: () => void }) {
  const t = useText();
  const { type, chatId, contact, noteId, messageId, isRead, updatedAt } = notification;
  return (
    <li className={styles.item}>
      <Link
        to="/inbox/{-$chatId}"
        params={{ chatId } as never}
        search={{ ...(noteId ? { note: noteId } : messageId ? { message: messageId } : {}) } as never}
        className={classes(styles.link, !isRead && styles.unread)}
        onClick={() => {
          void markNotifications([notification]);
          onClose();
        }}
      >
        <span className={classes(styles.icon, type === 'message_failed' && styles.bad)}>
          <Icon name={ICONS[type]} />
        </span>
        <span className={styles.lines}>
          <span className={styles.what}>
            {!isRead && <span className="visually-hidden">{t('notifications.isUnread')} </span>}
            {describeNotification(notification, t)}
          </span>
          <span className={styles.meta}>
            <span className={styles.who} dir="auto">
              {contact.displayName}
            </span>
            <RelativeTime at={updatedAt} />
          </span>
        </span>
      </Link>
      {!isRead && (
        <button
          type="button"
          className={styles.mark}
          aria-label={t('notifications.markRead')}
          title={t('notifications.markRead')}
          onClick={() => void markNotifications([notification])}
        />
      )}
    </li>
  );
}
