import { getLoginMethods, logIn, requestPasswordReset, type Session } from '@parley/sdk';
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client, queryClient, SESSION_KEY, useRead, useWrite } from '../../api/api.ts';
import { basePath } from '../../api/client.ts';
import { isLoggedOut } from '../../api/errors.ts';
import { notifyOtherTabs, shownWorkspace } from '../../api/session.tsx';
import { history, pathTo } from '../../app/history.ts';
import { leavePage } from '../../app/leave-page.ts';
import { forgetPersonInTab } from '../../app/preferences.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { PasswordField, TextField } from '../../ui/field.tsx';
import { ErrorNotice, Loaded } from '../../ui/notices.tsx';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { needsCode } from './needs-code.ts';
import { rememberNext } from './next.ts';

/** Who logs in again goes on where they were, with what was not sent. For somebody else the page is loaded again. */
export function enter(session: Session, next: string | undefined): void {
  notifyOtherTabs();
  const before = shownWorkspace()?.session.person.id;
  if (before === undefined || before === session.person.id) {
    queryClient.clear();
    queryClient.setQueryData(SESSION_KEY, session);
    history.replace(pathTo(next));
  } else {
    forgetPersonInTab();
    leavePage(pathTo(next));
  }
}

export function Login() {
  const t = useText();
  const { next, ended } = useSearch({ strict: false }) as { next?: string; ended?: number };
  const methods = useRead(['loginMethods'], (signal) => getLoginMethods(client, { signal }));
  return (
    <Card title={t('login.title')}>
      {ended !== undefined && <p className={styles.text}>{t('login.expired')}</p>}
      <Loaded query={methods}>
        {({ password, oidc }) => (
          <>
            {password && <PasswordLogin next={next} />}
            {password && oidc && <div className={styles.or}>{t('login.or')}</div>}
            {oidc && <OidcLogin next={next} />}
            {!password && !oidc && <p className={styles.text}>{t('login.noMethod')}</p>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function PasswordLogin({ next }: { next: string | undefined }) {
  const t = useText();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksForCode, setAsksForCode] = useState(false);
  const login = useWrite(
    () =>
      logIn(client, {
        body: { email: email.trim(), password, ...(asksForCode ? { code: code.trim() } : {}) },
      }),
    { onSuccess: (session) => enter(session, next), showsError: true },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    login.mutate(undefined, {
      onError: (error) => {
        if (needsCode(error)) setAsksForCode(true);
      },
    });
  };
  const isWrong = isLoggedOut(login.error);
  const hasOtherError = login.error !== null && !isWrong && !needsCode(login.error);
  if (asksForCode)
    return (
      <form onSubmit={submit}>
        <TextField
          key="code"
          label={t('login.code')}
          help={t('login.codeHelp')}
          error={isWrong ? t('login.codeWrong') : undefined}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          autoComplete="one-time-code"
          autoFocus
          required
        />
        {hasOtherError && <ErrorNotice error={login.error} />}
        <Button type="submit" look="primary" isBusy={login.isPending}>
          {t('login.submit')}
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            login.reset();
            setCode('');
            setAsksForCode(false);
          }}
        >
          {t('login.back')}
        </Button>
      </form>
    );
  return (
    <>
      <form onSubmit={submit}>
        <TextField
          label={t('login.email')}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          autoComplete="username"
          autoFocus
          required
        />
        <PasswordField
          label={t('login.password')}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={isWrong ? t('login.wrong') : undefined}
          required
        />
        {hasOtherError && <ErrorNotice error={login.error} />}
        <Button type="submit" look="primary" isBusy={login.isPending}>
          {t('login.submit')}
        </Button>
      </form>
      <details className={styles.forgot}>
        <summary>{t('login.forgot')}</summary>
        <Forgotten email={email.trim()} />
      </details>
    </>
  );
}

/** Mails a link for a new password. Where no mail can be sent, it says who can make one. */
function Forgotten({ email }: { email: string }) {
  const t = useText();
  const request = useWrite(() => requestPasswordReset(client, { body: { email } }), { showsError: true });
  const isMailed = request.data?.isMailed;
  return (
    <div role="status">
      {request.error ? <ErrorNotice error={request.error} /> : null}
      {isMailed === true && <p className={styles.text}>{t('login.mailed', { email })}</p>}
      {isMailed === false && (
        <p className={styles.text}>
          {t('login.forgotText', { email: email || `<${t('login.yourEmail')}>` })}
        </p>
      )}
      {isMailed === undefined && (
        <>
          <p className={styles.text}>{t('login.mailText')}</p>
          <Button disabled={email === ''} isBusy={request.isPending} onClick={() => request.mutate()}>
            {t('login.mail')}
          </Button>
        </>
      )}
    </div>
  );
}

function OidcLogin({ next }: { next: string | undefined }) {
  const t = useText();
  // It can be pressed again: who comes back with "Back" has the same page, and the browser may ask before it leaves.
  const start = (): void => {
    rememberNext(next);
    window.location.assign(`${basePath}/v3/session/oidc`);
  };
  return <Button onClick={start}>{t('login.oidc')}</Button>;
}
