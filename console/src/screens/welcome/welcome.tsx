import { describeLink, getLoginMethods, type LinkInfo, redeemLink } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { isLoggedOut, isShownByFields, issueOf } from '../../api/errors.ts';
import { notifyOtherTabs, switchTenant } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { PasswordField, TextField } from '../../ui/field.tsx';
import { ErrorNotice, Loaded } from '../../ui/notices.tsx';
import styles from '../login/card.module.css';
import { Card } from '../login/card.tsx';
import { enter } from '../login/login.tsx';
import { needsCode } from '../login/needs-code.ts';

const FIELDS = ['name', 'email', 'password', 'code', 'tenantName'];

/** Where links lead: the first login, invitations, new passwords. The token is in the fragment, which no server sees. */
export function Welcome() {
  const t = useText();
  const [token] = useState(() => decodeURIComponent(window.location.hash.slice(1)));
  const methods = useRead(['loginMethods'], (signal) => getLoginMethods(client, { signal }));
  const link = useRead(['link', token], (signal) => describeLink(client, { body: { token }, signal }), {
    enabled: token !== '',
  });
  if (token === '' || isLoggedOut(link.error))
    return (
      <Card title={t('welcome.invalid')}>
        <p className={styles.text}>{t('welcome.invalidText')}</p>
        <Link to="/login">{t('welcome.toLogin')}</Link>
      </Card>
    );
  return (
    <Card title={t('welcome.title')}>
      <Loaded query={link}>
        {(info) => (
          <Loaded query={methods}>
            {({ password }) => <LinkForm token={token} info={info} hasPasswords={password} />}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
}

/** What a link asks for: depends on its kind, and on whether its holder has an account. */
function usePlan({ kind, hasAccount, email, tenantName }: LinkInfo, hasPasswords: boolean) {
  const t = useText();
  const tenant = tenantName ?? '';
  if (kind === 'reset')
    return {
      text: t('welcome.reset'),
      action: t('welcome.setPassword'),
      asks: { name: false, email: false, password: hasPasswords, isNew: true, isOptional: false },
    };
  if (kind === 'invitation')
    return {
      text: t(hasAccount ? 'welcome.join' : 'welcome.invitation', { tenant }),
      action: hasAccount ? t('welcome.joinAction', { tenant }) : t('welcome.create'),
      asks: {
        name: !hasAccount,
        email: false,
        password: hasPasswords,
        isNew: !hasAccount,
        isOptional: false,
      },
    };
  if (hasAccount)
    return {
      text: t('welcome.enter'),
      action: t('welcome.enterAction'),
      asks: { name: false, email: false, password: hasPasswords, isNew: true, isOptional: true },
    };
  return {
    text: t('welcome.first'),
    action: t('welcome.create'),
    asks: { name: true, email: email === null, password: hasPasswords, isNew: true, isOptional: false },
  };
}

function LinkForm({ token, info, hasPasswords }: { token: string; info: LinkInfo; hasPasswords: boolean }) {
  const t = useText();
  const { text, action, asks } = usePlan(info, hasPasswords);
  const [name, setName] = useState(info.name ?? '');
  const [email, setEmail] = useState(info.email ?? '');
  const [password, setPassword] = useState('');
  const [tenantName, setTenantName] = useState('');
  const [code, setCode] = useState('');
  const redeem = useWrite(
    () =>
      redeemLink(client, {
        body: {
          token,
          ...(asks.name && name.trim() !== '' ? { name: name.trim() } : {}),
          ...(asks.email ? { email: email.trim() } : {}),
          ...(asks.password && password !== '' ? { password } : {}),
          ...(tenantName.trim() === '' ? {} : { tenantName: tenantName.trim() }),
          ...(code.trim() === '' ? {} : { code: code.trim() }),
        },
      }),
    {
      onSuccess: (session) => {
        const joined = session.memberships.find((one) => one.tenantName === info.tenantName);
        if (!joined) return enter(session, undefined);
        notifyOtherTabs();
        switchTenant(joined);
      },
      showsError: true,
    },
  );
  const { error } = redeem;
  const asksForCode = info.hasTotp || needsCode(error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    redeem.mutate();
  };
  return (
    <form onSubmit={submit}>
      <p className={styles.text}>{text}</p>
      {asks.name && (
        <TextField
          label={t('welcome.name')}
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="name"
          error={issueOf(error, 'name')}
          maxLength={255}
          autoFocus
          required
        />
      )}
      {info.createsTenant && (
        <TextField
          label={t('welcome.tenantName')}
          value={tenantName}
          onChange={(event) => setTenantName(event.target.value)}
          autoComplete="organization"
          error={issueOf(error, 'tenantName')}
          maxLength={255}
        />
      )}
      {(asks.email || info.email !== null) && (
        <TextField
          label={t('welcome.email')}
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          autoComplete="username"
          error={issueOf(error, 'email')}
          readOnly={!asks.email}
          required
        />
      )}
      {asks.password ? (
        <PasswordField
          label={t(asks.isOptional || info.kind === 'reset' ? 'welcome.newPassword' : 'welcome.password')}
          isNew={asks.isNew}
          help={asks.isOptional ? t('welcome.optional') : asks.isNew ? t('welcome.passwordHelp') : undefined}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={issueOf(error, 'password')}
          required={!asks.isOptional}
        />
      ) : (
        <p className={styles.text}>{t('welcome.noPassword')}</p>
      )}
      {asksForCode && (
        <TextField
          label={t('login.code')}
          help={t('login.codeHelp')}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          autoComplete="one-time-code"
          error={issueOf(error, 'code')}
          required
        />
      )}
      {error && !needsCode(error) && !isShownByFields(error, FIELDS) ? <ErrorNotice error={error} /> : null}
      <Button type="submit" look="primary" isBusy={redeem.isPending}>
        {action}
      </Button>
    </form>
  );
}
