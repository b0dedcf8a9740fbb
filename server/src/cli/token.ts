import { type CreateTenantTokenBody, createTenantToken, listTenants, type Tenant } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { ask } from './api.ts';
import { operatorFlags, operatorHelp, readOperatorTarget } from './operator-target.ts';
import { type CommandContext, readFlags, refuseArguments, UsageError } from './options.ts';

const flags = {
  ...operatorFlags,
  tenant: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  days: { type: 'string' },
} as const;

const DAY_SECONDS = 86_400;

const help = `parley token: creates an access token of a tenant and prints it. It cannot be shown again.

  --tenant ID|NAME     the tenant; without it, the only one
  --name NAME          what it is for
  --scopes A,B         such as chats:read,messages:write; without it, all scopes
  --days DAYS          how long it is valid; without it, 90 days
${operatorHelp}`;

function chooseTenant(tenants: readonly Tenant[], wanted: string | undefined): Tenant {
  const fitting =
    wanted === undefined ? tenants : tenants.filter(({ id, name }) => id === wanted || name === wanted);
  const [tenant, another] = fitting;
  if (tenant && !another) return tenant;
  const names = (fitting.length > 0 ? fitting : tenants).map(({ id, name }) => `${name} (${id})`);
  throw new OperatorError(
    names.length === 0
      ? 'There is no tenant. Create one with POST /admin/tenants.'
      : `Name one of the tenants with --tenant: ${names.slice(0, 10).join(', ')}.`,
  );
}

/** `parley token`. */
export async function token(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('token', args, flags);
  if (values.help) return say(help);
  refuseArguments('token', positionals);
  const { name, scopes, days } = values;
  if (days !== undefined && !(Number(days) > 0))
    throw new UsageError(`--days must be a number of days, not "${days}".`);
  const target = await readOperatorTarget(values, env);
  const tenants = await ask(target, signal, listTenants);
  const tenant = chooseTenant(tenants, values.tenant);
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined
      ? {}
      : { scopes: scopes.split(',').map((scope) => scope.trim()) as CreateTenantTokenBody['scopes'] }),
    ...(days === undefined ? {} : { expiresIn: Math.round(Number(days) * DAY_SECONDS) }),
  };
  const created = await ask(target, signal, (client, options) =>
    createTenantToken(client, { ...options, path: { tenantId: tenant.id }, body }),
  );
  say(created.token);
  say(`It is for ${tenant.name} and valid until ${created.expiresAt}.`);
}
