import {
  createClient,
  createTenant,
  createTenantToken,
  createUser,
  deleteToken,
  inviteUser,
  type PersonLink,
  type Tenant,
  type UpdateTenantBody,
  type User,
  updateTenant,
} from '@parley/sdk';
import { useState } from 'react';
import { client, SESSION_KEY, useWrite } from '../../api/api.ts';
import { basePath } from '../../api/client.ts';
import { issueOf } from '../../api/errors.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Choices } from '../../ui/choices.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PersonFields } from './people-dialogs.tsx';

export const TENANTS_KEY = ['system', 'tenants'];
const PLANS = ['free', 'growth', 'scale'] as const;
type LimitName = keyof Tenant['limits'];
const LIMITS = [
  'webhooks',
  'activeAutomations',
  'runsPerMinute',
  'streams',
  'storedFailedRequests',
  'storageBytes',
] as const satisfies readonly LimitName[];

/** What a person types; empty is the plan's. */
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

interface TenantDialogProps {
  /** The one to change; without it a new one is created. */
  tenant?: Tenant;
  onClose: () => void;
  onDone: (tenant: Tenant) => void;
}

/** Name and plan, and limits that differ from those of the plan. */
export function TenantDialog({ tenant, onClose, onDone }: TenantDialogProps) {
  const t = useText();
  const [name, setName] = useState(tenant?.name ?? '');
  const [plan, setPlan] = useState<Tenant['plan']>(tenant?.plan ?? 'scale');
  const [rate, setRate] = useState(String(tenant?.rateLimit ?? ''));
  const [limits, setLimits] = useState<Partial<Record<LimitName, string>>>({});
  const [kinds, setKinds] = useState<string[]>([]);
  const save = useWrite(
    () => {
      const rateLimit = numberOf(rate);
      if (!tenant) {
        const body = { name: name.trim(), plan, isTest: kinds.includes('test') };
        return createTenant(client, { body: rateLimit === null ? body : { ...body, rateLimit } });
      }
      const changed = Object.entries(limits).map(([limit, text]) => [limit, numberOf(text)]);
      const body: UpdateTenantBody = {
        name: name.trim(),
        plan,
        rateLimit,
        limits: Object.fromEntries(changed),
      };
      return updateTenant(client, { path: { tenantId: tenant.id }, body });
    },
    {
      invalidates: [TENANTS_KEY, SESSION_KEY, ['me'], ['tenant']],
      done: 'saved',
      showsError: true,
      onSuccess: onDone,
    },
  );
  const limitOf = (limit: LimitName): string => limits[limit] ?? String(tenant?.limits[limit] ?? '');
  return (
    <FormDialog
      title={tenant ? tenant.name : t('tenants.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={['name', 'plan', 'rateLimit', ...LIMITS]}
    >
      <TextField
        label={t('tenant.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueOf(save.error, 'name')}
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
      <SelectField
        label={t('tenant.planName')}
        value={plan}
        options={PLANS.map((value) => ({ value, label: t(`plan.${value}`) }))}
        onChange={setPlan}
        error={issueOf(save.error, 'plan')}
      />
      <TextField
        label={t('limit.requestsPerMinute')}
        help={t('tenants.planApplies')}
        inputMode="numeric"
        pattern="[0-9]*"
        value={rate}
        onChange={(event) => setRate(event.target.value)}
        error={issueOf(save.error, 'rateLimit')}
      />
      {tenant ? (
        LIMITS.map((limit) => (
          <TextField
            key={limit}
            label={t(`limit.${limit}`)}
            {...(limit === 'storageBytes' && { help: t('tenants.inBytes') })}
            inputMode="numeric"
            pattern="[0-9]*"
            value={limitOf(limit)}
            onChange={(event) => setLimits({ ...limits, [limit]: event.target.value })}
            error={issueOf(save.error, limit)}
          />
        ))
      ) : (
        <Choices
          label={t('tenants.kind')}
          options={[{ value: 'test', label: t('tenants.testHelp') }]}
          chosen={kinds}
          onChange={setKinds}
        />
      )}
    </FormDialog>
  );
}

const TOKEN_SECONDS = 300;

/** Creates an owner in a tenant that is not this one, with a token that exists for this only. */
async function inviteOwner(
  tenantId: string,
  { name, email }: { name: string; email: string },
): Promise<{ user: User; link: PersonLink }> {
  const created = await createTenantToken(client, {
    path: { tenantId },
    body: { name: 'Invitation of an owner', expiresIn: TOKEN_SECONDS },
  });
  const inTenant = createClient({ baseUrl: basePath, token: created.token });
  try {
    const user = await createUser(inTenant, { body: { name, email, role: 'owner' } });
    return { user, link: await inviteUser(inTenant, { path: { userId: user.id } }) };
  } finally {
    await deleteToken(inTenant, { path: { tokenId: created.id } });
  }
}

interface OwnerDialogProps {
  tenant: Tenant;
  onClose: () => void;
  onDone: (user: User, link: PersonLink) => void;
}

/** A tenant without people is of no use: the first one gets a link. */
export function OwnerDialog({ tenant, onClose, onDone }: OwnerDialogProps) {
  const t = useText();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const invite = useWrite(() => inviteOwner(tenant.id, { name: name.trim(), email: email.trim() }), {
    showsError: true,
    onSuccess: ({ user, link }) => onDone(user, link),
  });
  return (
    <FormDialog
      title={t('tenants.ownerOf', { name: tenant.name })}
      submit={t('people.inviteSubmit')}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
      isBusy={invite.isPending}
      error={invite.error}
      fields={['name', 'email']}
    >
      <p>{t('tenants.ownerText')}</p>
      <PersonFields name={name} email={email} error={invite.error} onName={setName} onEmail={setEmail} />
    </FormDialog>
  );
}
