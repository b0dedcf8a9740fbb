import {
  getUser,
  listSessions,
  type OwnSession,
  revokeSession,
  type User,
  updateOwnAvailability,
  updatePerson,
} from '@parley/sdk';
import { useState } from 'react';
import { client, queryClient, useRead, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useScope, useWorkspace } from '../../api/session.tsx';
import { useChoice } from '../../api/use-choice.ts';
import { THEMES, type Theme, usePreference, writePreference } from '../../app/preferences.ts';
import { type Language, languages, useText, useTranslator } from '../../i18n/i18n.tsx';
import { hasDesktop } from '../../notifications/desktop.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Form, FormColumn } from '../../ui/form.tsx';
import { Loaded, Warning } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { describeBrowser } from './browser-name.ts';
import { PasswordSection } from './password.tsx';
import styles from './profile.module.css';
import { storeSession } from './store-session.ts';
import { TotpSection } from './totp.tsx';

/** The own account: name, appearance, password, second factor, sessions. */
export function Profile() {
  const t = useText();
  return (
    <Page title={t('profile.title')}>
      <YouSection />
      <AvailabilitySection />
      <DesktopSection />
      <AppearanceSection />
      <PasswordSection />
      <TotpSection />
      <SessionsSection />
    </Page>
  );
}

function YouSection() {
  const t = useText();
  const { session, membership } = useWorkspace();
  const { person } = session;
  const [name, setName] = useState(person.name);
  const save = useWrite(() => updatePerson(client, { body: { name: name.trim() } }), {
    done: 'saved',
    onSuccess: storeSession,
  });
  const role = t(`role.${membership.role}`);
  return (
    <Section
      title={t('profile.you')}
      text={`${t('profile.role', { tenant: membership.tenantName })}: ${role}${person.isOperator ? ` · ${t('profile.operator')}` : ''}`}
    >
      <Form onSubmit={() => save.mutate()}>
        <TextField
          label={t('profile.name')}
          help={t('profile.nameHelp')}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={issueOf(save.error, 'name')}
          autoComplete="name"
          maxLength={255}
          required
        />
        <TextField label={t('profile.email')} value={person.email} readOnly disabled />
        <Button type="submit" isBusy={save.isPending} disabled={name.trim() === person.name}>
          {t('action.save')}
        </Button>
      </Form>
    </Section>
  );
}

/** For those who answer chats: a team that takes turns leaves out who is away. */
function AvailabilitySection() {
  const { membership } = useWorkspace();
  const canAnswer = useScope('chats:write');
  const path = { userId: membership.userId };
  const user = useRead(['users', path.userId], (signal) => getUser(client, { path, signal }), {
    enabled: canAnswer,
  });
  return canAnswer && user.data ? <Availability user={user.data} /> : null;
}

function Availability({ user }: { user: User }) {
  const t = useText();
  const save = useWrite((isAway: boolean) => updateOwnAvailability(client, { body: { isAway } }), {
    onSuccess: (updated) => void queryClient.setQueryData(['users', user.id], updated),
    invalidates: [['users']],
    done: 'saved',
  });
  const [isAway, setAway] = useChoice(user.isAway, save);
  return (
    <Section title={t('hours.away')} text={t('hours.awayText')}>
      <label className={styles.choice}>
        <input type="checkbox" checked={isAway} onChange={(event) => setAway(event.target.checked)} />
        {t('hours.awayLabel')}
      </label>
    </Section>
  );
}

/** For those who have the console in the background. Each browser asks for itself. */
function DesktopSection() {
  const t = useText();
  const isOn = usePreference('desktop') === 'on';
  const [isRefused, setIsRefused] = useState(false);
  const canRead = useScope('chats:read');
  if (!canRead || !hasDesktop) return null;
  async function choose(wanted: boolean): Promise<void> {
    const isAllowed = !wanted || (await window.Notification.requestPermission()) === 'granted';
    setIsRefused(!isAllowed);
    if (isAllowed) writePreference('desktop', wanted ? 'on' : 'off');
  }
  return (
    <Section title={t('profile.desktop')} text={t('profile.desktopText')}>
      <label className={styles.choice}>
        <input type="checkbox" checked={isOn} onChange={(event) => void choose(event.target.checked)} />
        {t('profile.desktopLabel')}
      </label>
      {isRefused && <Warning>{t('profile.desktopRefused')}</Warning>}
    </Section>
  );
}

function AppearanceSection() {
  const { t, language } = useTranslator();
  const theme: Theme = usePreference('theme') ?? 'system';
  return (
    <Section title={t('profile.appearance')}>
      <FormColumn>
        <SelectField
          label={t('theme.label')}
          value={theme}
          options={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
          onChange={(value) => writePreference('theme', value)}
        />
        <SelectField<Language>
          label={t('language.label')}
          value={language}
          options={languages.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(value) => writePreference('language', value)}
        />
      </FormColumn>
    </Section>
  );
}

function SessionsSection() {
  const t = useText();
  const sessions = useRead(['sessions'], (signal) => listSessions(client, { signal }), { freshMs: 0 });
  const end = useWrite((sessionId: string) => revokeSession(client, { path: { sessionId } }), {
    invalidates: [['sessions']],
    done: 'profile.sessionEnded',
  });
  return (
    <Section title={t('profile.sessions')}>
      <div className={styles.wide}>
        <Loaded query={sessions}>
          {(rows) => (
            <Table<OwnSession>
              label={t('profile.sessions')}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  id: 'browser',
                  title: t('profile.sessionBrowser'),
                  cell: ({ agent }) => <span title={agent}>{describeBrowser(agent)}</span>,
                },
                {
                  id: 'address',
                  title: t('profile.sessionAddress'),
                  cell: ({ address }) => address,
                  isExtra: true,
                },
                {
                  id: 'seen',
                  title: t('profile.sessionSeen'),
                  cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} />,
                },
                {
                  id: 'end',
                  title: t('profile.sessionEnd'),
                  hidesTitle: true,
                  align: 'end',
                  cell: ({ id, isCurrent }) =>
                    isCurrent ? (
                      <span className={styles.muted}>{t('profile.sessionThis')}</span>
                    ) : (
                      <Button onClick={() => end.mutate(id)} isBusy={end.isPending && end.variables === id}>
                        {t('profile.sessionEnd')}
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
      </div>
    </Section>
  );
}
