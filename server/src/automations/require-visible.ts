import { ApiError } from '../base/errors.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { Principal } from '../http/permissions.ts';
import { channelAccess } from '../people/channel-access.ts';
import type { Definition } from './schema.ts';

/** Callers who are restricted to channels must see everything that a definition names if it is tried out for them. */
export async function requireVisible(
  db: TenantReader,
  { channelIds, caller }: Principal,
  { trigger, steps }: Pick<Definition, 'trigger' | 'steps'>,
): Promise<void> {
  const given = { params: {}, query: {}, body: { trigger, steps } };
  if (channelIds && (await channelAccess.findHidden(db, channelIds, given, caller.id)))
    throw new ApiError('forbidden', { detail: 'the automation uses a channel that you do not see' });
}
