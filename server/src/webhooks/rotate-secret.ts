import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { RotatedApiWebhook } from './schema.ts';
import { newSecret, requireWebhook, SECRET } from './webhook.ts';

const ROTATION_MS = 24 * 3600_000;

const rotate = statement<[id: string, tenantId: string, secret: Buffer, now: Date, oldUntil: Date]>(
  'webhooks.rotate_secret',
  `update webhooks set old_secret_encrypted = secret_encrypted, old_secret_until = $5, secret_encrypted = $3,
          updated_at = $4
    where id = $1 and tenant_id = $2`,
);

/** Gives a webhook a new secret, shown in this answer and nowhere else. For 24 hours the old one signs as well. */
export async function rotateSecret(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  { keys, now }: { keys: Keys; now: Date },
): Promise<RotatedApiWebhook> {
  const secret = newSecret();
  const oldUntil = new Date(now.getTime() + ROTATION_MS);
  const encrypted = keys.encrypt(secret, SECRET);
  if (!isUuid(webhookId) || (await tx.run(rotate, [webhookId, tenantId, encrypted, now, oldUntil])) === 0)
    throw new ApiError('api_webhook_not_found');
  return {
    ...(await requireWebhook(tx, tenantId, webhookId)),
    secret,
    oldSecretUntil: timestamp(oldUntil),
  };
}
