import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { RotatedApiWebhook } from './schema.ts';
import { newSecret, requireWebhook, SECRET } from './webhook.ts';

const ROTATION_MS = 24 * 3600_000;

const rotate = statement<[id: string, secret: Buffer, now: Date, oldUntil: Date]>(
  'webhooks.rotate_secret',
  `update webhooks set old_secret_encrypted = secret_encrypted, old_secret_until = $4, secret_encrypted = $2,
          updated_at = $3
    where id = $1 and tenant_id = $tenant`,
);

/** Replaces the secret of a webhook. The new one is only in this answer. For 24 hours deliveries are signed with both. */
export async function rotateSecret(tx: TenantTx, webhookId: string, keys: Keys): Promise<RotatedApiWebhook> {
  const secret = newSecret();
  const oldUntil = new Date(tx.now.getTime() + ROTATION_MS);
  const encrypted = keys.encrypt(secret, SECRET);
  if (!isUuid(webhookId) || (await tx.run(rotate, [webhookId, encrypted, tx.now, oldUntil])) === 0)
    throw new ApiError('api_webhook_not_found');
  return {
    ...(await requireWebhook(tx, webhookId)),
    secret,
    oldSecretUntil: timestamp(oldUntil),
  };
}
