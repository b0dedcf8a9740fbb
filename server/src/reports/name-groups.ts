import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { Grouping } from './schema.ts';

type FindNames = ReturnType<typeof statement<[ids: string[]], { id: string; name: string }>>;
const namesIn = (table: string): FindNames =>
  statement(
    `reports.names_of_${table}`,
    `select id, name from ${table} where id = any ($1::uuid[]) and (tenant_id = $tenant) is true`,
  );
const finders: Partial<Record<Grouping, FindNames>> = {
  channel: namesIn('visible_channels'),
  user: namesIn('users'),
  campaign: namesIn('visible_campaigns'),
  automation: namesIn('visible_automations'),
};

/** The names of channels, users, campaigns or automations by their ids; an author is named by itself. */
export async function nameGroups(
  reader: TenantReader,
  grouping: Grouping,
  keys: string[],
): Promise<ReadonlyMap<string, string>> {
  const find = finders[grouping];
  if (!find) return new Map(keys.map((key) => [key, key]));
  return new Map((await reader.all(find, [keys])).map(({ id, name }) => [id, name]));
}
