import type { ApiError } from '../base/errors.ts';
import type { TenantReader } from '../db/tenant.ts';

/** A part of a request that names what the caller must not see. */
export interface HiddenReference {
  /** The same as for an id that does not exist. */
  error: ApiError;
  isInPath: boolean;
}

/** Restricts callers to the channels of their teams. The router asks for every request, so that no operation can forget it. */
export interface ChannelAccess {
  /** Finds an id in a request that belongs to another channel. */
  findHidden(
    db: TenantReader,
    channelIds: ReadonlySet<string>,
    given: { params: Record<string, string>; query: unknown; body: unknown },
    /** The user who calls and sees own uploads. */
    userId: string,
  ): Promise<HiddenReference | undefined>;
  /** The answer without chats of other channels, which contacts list. */
  withoutHidden(answer: unknown, channelIds: ReadonlySet<string>): unknown;
}
