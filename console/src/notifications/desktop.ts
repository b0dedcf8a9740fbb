import type { Notification } from '@parley/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { attempt, usePreference } from '../app/preferences.ts';
import { useText } from '../i18n/i18n.tsx';
import { useEvents } from '../live/patches.ts';
import { describeNotification } from './describe.ts';

/** Plain http has none. */
export const hasDesktop = 'Notification' in window && window.isSecureContext;

const FOCUS_KEY = 'parley.focused';

/** All tabs know whether somebody looks at one of them. */
function useShareFocus(): void {
  useEffect(() => {
    const set = (): void => void attempt(() => localStorage.setItem(FOCUS_KEY, '1'));
    const clear = (): void => void attempt(() => localStorage.removeItem(FOCUS_KEY));
    if (document.hasFocus()) set();
    window.addEventListener('focus', set);
    window.addEventListener('blur', clear);
    window.addEventListener('pagehide', clear);
    return () => {
      window.removeEventListener('focus', set);
      window.removeEventListener('blur', clear);
      window.removeEventListener('pagehide', clear);
    };
  }, []);
}
const isLookedAt = (): boolean => attempt(() => localStorage.getItem(FOCUS_KEY)) === '1';

/** Shows on the device what is new while nobody looks at the console: who it is about, and no text of theirs. */
export function useDesktopNotifications(): void {
  const t = useText();
  const navigate = useNavigate();
  const isOn = usePreference('desktop') === 'on';
  useShareFocus();
  useEvents(['notification.created'], (event) => {
    if (!isOn || !hasDesktop || window.Notification.permission !== 'granted' || isLookedAt()) return;
    const notification = event.data as unknown as Notification;
    const { id, chatId, contact } = notification;
    // The tag: each tab shows it, and the device only the last.
    const body = describeNotification(notification, t);
    // Some phones have the name, and refuse to make one.
    const shown = attempt(() => new window.Notification(contact.displayName, { body, tag: id }));
    if (!shown) return;
    shown.onclick = () => {
      window.focus();
      shown.close();
      void navigate({ to: `/inbox/${chatId}` });
    };
  });
}
