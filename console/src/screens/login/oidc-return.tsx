import { getSession } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { client, useWrite } from '../../api/api.ts';
import type { PlainKey } from '../../i18n/catalogue.ts';
import { useText } from '../../i18n/i18n.tsx';
import { ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { enter } from './login.tsx';
import { takeNext } from './next.ts';

/** Why the server has logged nobody in. */
const REASONS: Readonly<Record<string, PlainKey>> = {
  expired: 'login.oidcExpired',
  no_answer: 'login.oidcNoAnswer',
  not_invited: 'login.oidcNotInvited',
  not_verified: 'login.oidcNotVerified',
  other_account: 'login.oidcOtherAccount',
  too_many_attempts: 'login.oidcTooMany',
};

/** Where the server sends the browser after the identity provider has sent it back. */
export function OidcReturn() {
  const t = useText();
  const reason = new URLSearchParams(window.location.search).get('error');
  return reason === null ? (
    <Entering />
  ) : (
    <Card title={t('login.oidcFailed')}>
      <p className={styles.text} role="alert">
        {t((Object.hasOwn(REASONS, reason) && REASONS[reason]) || 'login.oidcNotValid')}
      </p>
      <Link to="/login">{t('welcome.toLogin')}</Link>
    </Card>
  );
}

function Entering() {
  const t = useText();
  const hasBegun = useRef(false);
  const read = useWrite(() => getSession(client, {}), {
    onSuccess: (session) => enter(session, takeNext()),
    showsError: true,
  });
  const { mutate } = read;
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    mutate();
  }, [mutate]);
  return (
    <Card title={t(read.error ? 'login.oidcFailed' : 'login.oidcTitle')}>
      {read.error ? (
        <>
          <ErrorNotice error={read.error} />
          <Link to="/login">{t('welcome.toLogin')}</Link>
        </>
      ) : (
        <Skeleton />
      )}
    </Card>
  );
}
