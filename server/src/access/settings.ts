import { wakeForHours } from '../automations/runs/wake-for-hours.ts';
import { ApiError } from '../base/errors.ts';
import { isTestTenant } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { nowMs } from '../base/time.ts';
import { languageOf, validateTimezone } from '../contacts/validate-contact.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import type { StoredHours } from '../hours/schema.ts';
import { validateHours } from '../hours/validate-hours.ts';
import { timestamp } from '../http/schema.ts';
import { readSystemMailState, type SystemMailChannel, stateForTenant } from '../people/system-mail.ts';
import type { TenantSettings, TenantSettingsChange } from './schema.ts';
import { readUsage } from './usage.ts';

interface SettingsRow {
  id: string;
  name: string;
  timezone: string;
  locale: string;
  business_hours: StoredHours['businessHours'];
  quiet_hours: StoredHours['quietHours'];
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, name, timezone, locale, business_hours, quiet_hours, created_at, updated_at';
const settings = statement<[], SettingsRow>(
  'tenants.settings',
  `select ${COLUMNS} from visible_tenants where id = $tenant`,
);
const updateSettings = statement<
  [
    name: string | null,
    timezone: string | null,
    locale: string | null,
    now: Date,
    setsBusinessHours: boolean,
    businessHours: StoredHours['businessHours'],
    setsQuietHours: boolean,
    quietHours: StoredHours['quietHours'],
  ],
  SettingsRow
>(
  'tenants.update_settings',
  `update visible_tenants set name = coalesce($1, name), timezone = coalesce($2, timezone), locale = coalesce($3, locale),
          updated_at = $4, business_hours = case when $5 then $6::jsonb else business_hours end,
          quiet_hours = case when $7 then $8::jsonb else quiet_hours end
    where id = $tenant returning ${COLUMNS}`,
);

async function describe(
  db: TenantReader,
  row: SettingsRow | undefined,
  systemMail: SystemMailChannel | undefined,
): Promise<TenantSettings> {
  if (!row) throw new ApiError('tenant_not_found');
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    locale: row.locale,
    businessHours: row.business_hours,
    quietHours: row.quiet_hours,
    isTest: isTestTenant(row.id),
    usage: await readUsage(db),
    systemMail: stateForTenant(await readSystemMailState(db, systemMail), row.id),
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  };
}

export const readSettings = async (
  db: TenantReader,
  systemMail: SystemMailChannel | undefined,
): Promise<TenantSettings> => describe(db, await db.find(settings, []), systemMail);

/** Changes the given settings. Runs that wait by the hours look at them again. */
export async function changeSettings(
  tx: TenantTx,
  { name, timezone, locale, ...given }: TenantSettingsChange,
  systemMail: SystemMailChannel | undefined,
): Promise<TenantSettings> {
  const issues = collectIssues();
  const trimmed = name?.trim();
  if (trimmed === '') issues.add('name', 'too_small', 'Must not be blank');
  validateTimezone(timezone, issues);
  const language = languageOf(locale, issues, 'locale');
  const hours = validateHours(given, issues);
  issues.throwIfAny();
  const row = await tx.find(updateSettings, [
    trimmed ?? null,
    timezone ?? null,
    language ?? null,
    new Date(nowMs()),
    hours.businessHours !== undefined,
    hours.businessHours ?? null,
    hours.quietHours !== undefined,
    hours.quietHours ?? null,
  ]);
  if (timezone !== undefined || Object.keys(hours).length > 0) await wakeForHours(tx);
  return describe(tx, row, systemMail);
}
