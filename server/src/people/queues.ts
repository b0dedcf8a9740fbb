import type { Channel } from '../channels/schema.ts';
import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { fixedDelays } from '../engine/retry.ts';
import type { ChannelKind } from '../providers/kinds.ts';

/** A mail with a link to somebody who is to log in. */
export interface SystemMailRow extends QueueRow {
  channel_id: string;
  mail: 'invitation' | 'reset';
  email: string;
  /** The invited user. */
  user_id: string | null;
  user_tenant_id: string | null;
  attempts: number;
  kind: ChannelKind;
  health: Channel['health'];
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

export const systemMailsQueue = declareQueue<SystemMailRow>({
  name: 'system_mails',
  purpose: 'mail links of invitations and of new passwords',
  table: 'system_mails',
  orderingKey: 'channel_id',
  listed: () => 'true',
  columns: `q.channel_id, q.kind as mail, q.email, q.user_id, q.user_tenant_id, q.attempts, c.kind, c.health, c.provider,
    c.address, c.config_encrypted`,
  joins: 'join visible_channels c on c.id = q.channel_id and c.tenant_id = q.tenant_id',
  rowsPerCall: 1,
  callsPerKey: 2,
  callsPerProcess: 4,
  waitsOutside: true,
  retry: fixedDelays([30_000, 300_000, 3_600_000]),
});
