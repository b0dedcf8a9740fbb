import { changePassword } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { isShownByFields, issueOf, statusOf } from '../../api/errors.ts';
import { useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { ErrorNotice } from '../../ui/notices.tsx';
import { Section } from '../../ui/page.tsx';
import { storeSession } from './store-session.ts';

export function PasswordSection() {
  const t = useText();
  const { person } = useWorkspace().session;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useWrite(() => changePassword(client, { body: { current, next } }), {
    done: 'profile.passwordChanged',
    invalidates: [['sessions']],
    onSuccess: (session) => {
      storeSession(session);
      setCurrent('');
      setNext('');
    },
    showsError: true,
  });
  if (!person.hasPassword) return <Section title={t('profile.password')} text={t('profile.passwordNone')} />;
  const isWrong = statusOf(change.error) === 401;
  return (
    <Section title={t('profile.password')}>
      <Form onSubmit={() => change.mutate()}>
        <PasswordField
          label={t('profile.currentPassword')}
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
          error={isWrong ? t('login.wrong') : undefined}
          required
        />
        <PasswordField
          label={t('profile.newPassword')}
          isNew
          help={t('welcome.passwordHelp')}
          value={next}
          onChange={(event) => setNext(event.target.value)}
          error={issueOf(change.error, 'next')}
          required
        />
        {change.error && !isWrong && !isShownByFields(change.error, ['next']) ? (
          <ErrorNotice error={change.error} />
        ) : null}
        <Button type="submit" isBusy={change.isPending}>
          {t('profile.changePassword')}
        </Button>
      </Form>
    </Section>
  );
}
