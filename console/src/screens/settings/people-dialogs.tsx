import {
  createUser,
  deleteUser,
  getTeam,
  inviteUser,
  type PersonLink,
  type Team,
  type User,
  updateTeam,
  updateUser,
} from '@parley/sdk';
import { useRef, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { issueOf } from '../../api/errors.ts';
import { useWorkspace } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

type Role = User['role'];
type Access = User['access'];
const ROLES: readonly Role[] = ['owner', 'admin', 'agent', 'viewer'];
/** Owners and admins always see everything. */
export const isRestrictable = (role: Role): boolean => role === 'agent' || role === 'viewer';

/** Only owners make owners. */
function useRoleOptions(): { value: Role; label: string }[] {
  const t = useText();
  const { membership } = useWorkspace();
  return ROLES.filter((role) => role !== 'owner' || membership.role === 'owner').map((value) => ({
    value,
    label: t(`role.${value}`),
  }));
}

interface RoleFieldsProps {
  role: Role;
  access: Access;
  error: unknown;
  onRole: (role: Role) => void;
  onAccess: (access: Access) => void;
}

function RoleFields({ role, access, error, onRole, onAccess }: RoleFieldsProps) {
  const t = useText();
  return (
    <>
      <SelectField
        label={t('people.role')}
        help={t(`people.may.${role}`)}
        value={role}
        options={useRoleOptions()}
        onChange={onRole}
        error={issueOf(error, 'role')}
      />
      {isRestrictable(role) && (
        <SelectField
          label={t('people.sees')}
          help={t('people.seesHelp')}
          value={access}
          options={[
            { value: 'all', label: t('people.seesAll') },
            { value: 'teams', label: t('people.seesTeams') },
          ]}
          onChange={onAccess}
          error={issueOf(error, 'access')}
        />
      )}
    </>
  );
}

interface PersonFieldsProps {
  name: string;
  email: string;
  error: unknown;
  onName: (name: string) => void;
  onEmail: (email: string) => void;
}

/** Who is invited. */
export function PersonFields({ name, email, error, onName, onEmail }: PersonFieldsProps) {
  const t = useText();
  return (
    <>
      <TextField
        label={t('people.name')}
        value={name}
        onChange={(event) => onName(event.target.value)}
        error={issueOf(error, 'name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
      <TextField
        label={t('people.email')}
        type="email"
        value={email}
        onChange={(event) => onEmail(event.target.value)}
        error={issueOf(error, 'email')}
        maxLength={255}
        autoComplete="off"
        required
      />
    </>
  );
}

export function InviteDialog({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: (user: User, link: PersonLink) => void;
}) {
  const t = useText();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('agent');
  const [access, setAccess] = useState<Access>('all');
  /** Of an attempt that created the user, but no link. */
  const created = useRef<User>(undefined);
  const invite = useWrite(
    async () => {
      created.current ??= await createUser(client, {
        body: { name: name.trim(), email: email.trim(), role, ...(isRestrictable(role) ? { access } : {}) },
      });
      const link = await inviteUser(client, { path: { userId: created.current.id } });
      return { user: created.current, link };
    },
    {
      invalidates: [['users']],
      showsError: true,
      onSuccess: ({ user, link }) => onDone(user, link),
    },
  );
  return (
    <FormDialog
      title={t('people.invite')}
      submit={t('people.inviteSubmit')}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
      isBusy={invite.isPending}
      error={invite.error}
      fields={['name', 'email', 'role', 'access']}
    >
      <PersonFields name={name} email={email} error={invite.error} onName={setName} onEmail={setEmail} />
      <RoleFields role={role} access={access} error={invite.error} onRole={setRole} onAccess={setAccess} />
    </FormDialog>
  );
}

/** Adds one person to a team, or takes them out. Everybody else in it stays as they are now. */
async function changeMember(teamId: string, userId: string, isMember: boolean): Promise<void> {
  const path = { teamId };
  const { userIds, updatedAt } = await getTeam(client, { path });
  const others = userIds.filter((id) => id !== userId);
  const body = { userIds: isMember ? [...others, userId] : others, baseUpdatedAt: updatedAt };
  await updateTeam(client, { path, body });
}

export function EditDialog({
  user,
  teams,
  onClose,
}: {
  user: User;
  teams: readonly Team[];
  onClose: () => void;
}) {
  const t = useText();
  const [role, setRole] = useState(user.role);
  const [access, setAccess] = useState(user.access);
  const before = teams.filter(({ userIds }) => userIds.includes(user.id)).map(({ id }) => id);
  const [chosen, setChosen] = useState(before);
  const save = useWrite(
    async () => {
      if (role !== user.role || access !== user.access)
        await updateUser(client, { path: { userId: user.id }, body: { role, access } });
      for (const team of teams.filter(({ id }) => chosen.includes(id) !== before.includes(id)))
        await changeMember(team.id, user.id, chosen.includes(team.id));
    },
    { invalidates: [['users'], ['teams']], done: 'saved', showsError: true, onSuccess: onClose },
  );
  return (
    <FormDialog
      title={user.name}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['role', 'access']}
    >
      <RoleFields role={role} access={access} error={save.error} onRole={setRole} onAccess={setAccess} />
      <Choices
        label={t('teams.title')}
        options={teams.map(({ id, name }) => ({ value: id, label: name }))}
        chosen={chosen}
        onChange={setChosen}
        none={t('people.noTeams')}
      />
    </FormDialog>
  );
}

export function RemoveDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useText();
  const remove = useWrite(() => deleteUser(client, { path: { userId: user.id } }), {
    invalidates: [['users'], ['teams']],
    done: 'people.removed',
    showsError: true,
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('people.removeTitle', { name: user.name })}
      text={t('people.removeText', { name: user.name, email: user.email })}
      action={t('people.remove')}
      typed={user.name}
      write={remove}
      onClose={onClose}
    />
  );
}

export function LinkDialog({ user, link, onClose }: { user: User; link: PersonLink; onClose: () => void }) {
  const { t, formatDate } = useTranslator();
  return (
    <Dialog
      title={t(user.hasLogin ? 'people.resetTitle' : 'people.inviteTitle')}
      onClose={onClose}
      actions={<Button onClick={onClose}>{t('action.close')}</Button>}
    >
      <p>
        {t(user.hasLogin ? 'people.resetText' : 'people.inviteText', {
          name: user.name,
          until: formatDate(new Date(link.expiresAt), 'full'),
        })}
      </p>
      <CopyText text={link.url} />
      {link.isMailed && <p>{t('people.linkMailed', { email: user.email })}</p>}
    </Dialog>
  );
}
