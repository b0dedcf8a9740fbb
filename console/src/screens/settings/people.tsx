import {
  inviteUser,
  type PersonLink,
  resetUserPassword,
  searchTeams,
  searchUsers,
  type Team,
  type User,
} from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { useAll } from '../../api/lists.ts';
import { useScope, useWorkspace } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { Table } from '../../ui/table.tsx';
import { useFilter } from './filter.tsx';
import { EditDialog, InviteDialog, isRestrictable, LinkDialog, RemoveDialog } from './people-dialogs.tsx';
import styles from './settings.module.css';

type Opened =
  | { kind: 'invite' }
  | { kind: 'edit' | 'remove'; user: User }
  | { kind: 'link'; user: User; link: PersonLink };

/** Who may log in, and what they may do. */
export function People() {
  const t = useText();
  const canWrite = useScope('users:write');
  const users = useAll(['users'], searchUsers);
  const teams = useAll(['teams'], searchTeams);
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  return (
    <Page
      title={t('people.title')}
      actions={
        canWrite && (
          <Button look="primary" icon="plus" onClick={() => setOpened({ kind: 'invite' })}>
            {t('people.invite')}
          </Button>
        )
      }
    >
      <p className={styles.intro}>{t('people.intro')}</p>
      <Loaded query={users}>
        {(rows) => <PeopleTable users={rows} teams={teams.data ?? []} onOpen={setOpened} />}
      </Loaded>
      {opened?.kind === 'invite' && (
        <InviteDialog onClose={close} onDone={(user, link) => setOpened({ kind: 'link', user, link })} />
      )}
      {opened?.kind === 'edit' && <EditDialog user={opened.user} teams={teams.data ?? []} onClose={close} />}
      {opened?.kind === 'remove' && <RemoveDialog user={opened.user} onClose={close} />}
      {opened?.kind === 'link' && <LinkDialog {...opened} onClose={close} />}
    </Page>
  );
}

interface PeopleTableProps {
  users: readonly User[];
  teams: readonly Team[];
  onOpen: (opened: Opened) => void;
}

function PeopleTable({ users, teams, onOpen }: PeopleTableProps) {
  const { t, formatDate } = useTranslator();
  const { membership } = useWorkspace();
  const canWrite = useScope('users:write');
  const { found, field } = useFilter(users, ({ name, email }) => `${name} ${email}`);
  const showLink = useWrite(
    (user: User) => (user.hasLogin ? resetUserPassword : inviteUser)(client, { path: { userId: user.id } }),
    {
      invalidates: [['users']],
      onSuccess: (link, user) => onOpen({ kind: 'link', user, link }),
    },
  );
  const teamsOf = (user: User): string =>
    teams
      .filter(({ userIds }) => userIds.includes(user.id))
      .map(({ name }) => name)
      .join(', ');
  const mayManage = (user: User): boolean => user.role !== 'owner' || membership.role === 'owner';
  const actions = useRowActions<User>(canWrite, {
    nameOf: ({ name }) => name,
    itemsOf: (user) =>
      mayManage(user)
        ? [
            {
              id: 'edit',
              label: t('people.edit'),
              icon: 'edit',
              run: () => onOpen({ kind: 'edit', user }),
            },
            {
              id: 'link',
              label: t(user.hasLogin ? 'people.reset' : 'people.inviteAgain'),
              icon: 'key',
              run: () => showLink.mutate(user),
            },
            {
              id: 'remove',
              label: t('people.remove'),
              icon: 'trash',
              isDanger: true,
              startsGroup: true,
              run: () => onOpen({ kind: 'remove', user }),
            },
          ]
        : [],
  });
  return (
    <>
      {field}
      <Table<User>
        label={t('people.title')}
        rows={found}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('people.person'),
            cell: (user) => (
              <div className={styles.person}>
                <Avatar name={user.name} id={user.id} />
                <div>
                  <div className={styles.name}>
                    {user.name} {user.id === membership.userId && <Badge>{t('people.you')}</Badge>}{' '}
                    {user.isAway && <Badge look="warn">{t('hours.isAway')}</Badge>}
                  </div>
                  <div className={styles.muted}>{user.email}</div>
                </div>
              </div>
            ),
          },
          {
            id: 'role',
            title: t('people.role'),
            cell: ({ role }) => <span className={styles.word}>{t(`role.${role}`)}</span>,
          },
          {
            id: 'access',
            title: t('people.sees'),
            isExtra: true,
            cell: (user) => (
              <>
                {t(
                  user.access === 'teams' && isRestrictable(user.role)
                    ? 'people.seesTeams'
                    : 'people.seesAll',
                )}
                {teamsOf(user) !== '' && <div className={styles.muted}>{teamsOf(user)}</div>}
              </>
            ),
          },
          {
            id: 'login',
            title: t('people.login'),
            isExtra: true,
            cell: (user) => <LoginState user={user} />,
          },
          {
            id: 'since',
            title: t('people.since'),
            isExtra: true,
            cell: ({ createdAt }) => formatDate(new Date(createdAt)),
          },
          ...actions,
        ]}
      />
    </>
  );
}

function LoginState({ user: { hasLogin, invitation } }: { user: User }) {
  const t = useText();
  if (hasLogin) return <Badge look="good">{t('people.canLogIn')}</Badge>;
  if (invitation === 'pending') return <Badge look="warn">{t('people.invited')}</Badge>;
  if (invitation === 'expired') return <Badge look="bad">{t('people.inviteExpired')}</Badge>;
  return <Badge>{t('people.noLogin')}</Badge>;
}
