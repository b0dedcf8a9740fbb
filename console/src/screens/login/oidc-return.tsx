import { finishOidcLogin } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useText } from '../../i18n/i18n.tsx';
import { ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import { Card } from './card.tsx';
import { enter } from './login.tsx';
import { takeNext } from './next.ts';

/** Where the identity provider sends the browser back to. */
export function OidcReturn() {
  const t = useText();
  const hasBegun = useRef(false);
  const finish = useWrite((query: string) => finishOidcLogin(client, { body: { query } }), {
    onSuccess: (session) => enter(session, takeNext()),
    showsError: true,
  });
  const { mutate } = finish;
  useEffect(() => {
    // What the provider has sent works once.
    if (hasBegun.current) return;
    hasBegun.current = true;
    mutate(window.location.search || '?');
  }, [mutate]);
  return (
    <Card title={t(finish.error ? 'login.oidcFailed' : 'login.oidcTitle')}>
      {finish.error ? (
        <>
          <ErrorNotice error={finish.error} />
          <Link to="/login">{t('welcome.toLogin')}</Link>
        </>
      ) : (
        <Skeleton />
      )}
    </Card>
  );
}
