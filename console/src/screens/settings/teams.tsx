import {
  createTeam,
  deleteTeam,
  searchChannels,
  searchTeams,
  searchUsers,
  type Team,
  updateTeam,
} from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf, statusOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { useActions } from './actions.tsx';
import { useFilter } from './filter.tsx';
import styles from './settings.module.css';

interface Named {
  id: string;
  name: string;
}
const namesOf = (all: readonly Named[] | undefined, ids: readonly string[]): string =>
  (all ?? [])
    .filter(({ id }) => ids.includes(id))
    .map(({ name }) => name)
    .join(', ') || '–';

/** Groups of people, and the channels that they answer. */
export function Teams() {
  const t = useText();
  const canWrite = useScope('users:write');
  const teams = useAll(['teams'], searchTeams);
  const [edited, setEdited] = useState<Team | 'new'>();
  const [removed, setRemoved] = useState<Team>();
  const add = canWrite && (
    <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
      {t('teams.new')}
    </Button>
  );
  return (
    <Page title={t('teams.title')} actions={add}>
      <Loaded query={teams}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="people" title={t('teams.empty')} action={add}>
              {t('teams.intro')}
            </EmptyState>
          ) : (
            <>
              <p className={styles.intro}>{t('teams.intro')}</p>
              <TeamsTable teams={rows} onEdit={setEdited} onRemove={setRemoved} />
            </>
          )
        }
      </Loaded>
      {edited && (
        <TeamDialog team={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {removed && <RemoveDialog team={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

interface TeamsTableProps {
  teams: readonly Team[];
  onEdit: (team: Team) => void;
  onRemove: (team: Team) => void;
}

function TeamsTable({ teams, onEdit, onRemove }: TeamsTableProps) {
  const t = useText();
  const users = useAll(['users'], searchUsers);
  const channels = useAll(['channels'], searchChannels);
  const { found, field } = useFilter(teams, ({ name }) => name);
  const actions = useActions<Team>(useScope('users:write'), { nameOf: ({ name }) => name, onEdit, onRemove });
  return (
    <>
      {field}
      <Table<Team>
        label={t('teams.title')}
        rows={found}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('teams.name'),
            cell: ({ name }) => <span className={styles.name}>{name}</span>,
          },
          { id: 'members', title: t('teams.members'), cell: ({ userIds }) => namesOf(users.data, userIds) },
          {
            id: 'channels',
            title: t('channels.title'),
            isExtra: true,
            cell: ({ channelIds }) => namesOf(channels.data, channelIds),
          },
          ...actions,
        ]}
      />
    </>
  );
}

function TeamDialog({ team, onClose }: { team: Team | undefined; onClose: () => void }) {
  const t = useText();
  const users = useAll(['users'], searchUsers);
  const channels = useAll(['channels'], searchChannels);
  const [name, setName] = useState(team?.name ?? '');
  const [userIds, setUserIds] = useState<string[]>(team?.userIds ?? []);
  const [channelIds, setChannelIds] = useState<string[]>(team?.channelIds ?? []);
  const cache = useQueryClient();
  const save = useWrite(
    () => {
      const body = { name: name.trim(), userIds, channelIds };
      if (!team) return createTeam(client, { body });
      // What a colleague has changed since the window was opened stays: the API refuses.
      return updateTeam(client, {
        path: { teamId: team.id },
        body: { ...body, baseUpdatedAt: team.updatedAt },
      }).catch((error) => {
        if (statusOf(error) === 409) void cache.invalidateQueries({ queryKey: ['teams'] });
        throw error;
      });
    },
    { invalidates: [['teams']], done: 'saved', showsError: true, onSuccess: onClose },
  );
  const optionsOf = (all: readonly Named[] | undefined) =>
    (all ?? []).map((one) => ({ value: one.id, label: one.name }));
  return (
    <FormDialog
      title={team ? team.name : t('teams.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['name']}
    >
      <TextField
        label={t('teams.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueOf(save.error, 'name')}
        maxLength={255}
        autoFocus
        required
      />
      <Choices
        label={t('teams.members')}
        options={optionsOf(users.data)}
        chosen={userIds}
        onChange={setUserIds}
      />
      <Choices
        label={t('channels.title')}
        options={optionsOf(channels.data)}
        chosen={channelIds}
        onChange={setChannelIds}
        none={t('channels.none')}
      />
    </FormDialog>
  );
}

function RemoveDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const t = useText();
  const remove = useWrite(() => deleteTeam(client, { path: { teamId: team.id } }), {
    invalidates: [['teams']],
    done: 'deleted',
    showsError: true,
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('teams.removeTitle', { name: team.name })}
      text={t('teams.removeText', { name: team.name })}
      action={t('action.delete')}
      typed={team.name}
      write={remove}
      onClose={onClose}
    />
  );
}
