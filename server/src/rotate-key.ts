import { encryptedSecretValue } from './automations/secrets/secret.ts';
import type { Keys } from './base/crypto.ts';
import { encryptedToken } from './channels/access-tokens.ts';
import { encryptedConfig } from './channels/encrypted-config.ts';
import type { Database } from './db/database.ts';
import { type EncryptedColumn, reEncrypt } from './db/re-encrypt.ts';
import { encryptedAnswer } from './http/idempotency.ts';
import { updateKeyCheck } from './installation.ts';
import { encryptedTotp } from './people/person.ts';
import { encryptedSecrets } from './webhooks/webhook.ts';

/** All encrypted columns except the key check. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  encryptedConfig,
  encryptedToken,
  ...encryptedSecrets,
  encryptedAnswer,
  encryptedSecretValue,
  encryptedTotp,
];

/**
 * Encrypts everything again with the present key, and returns the number of values. The key check comes last: no start
 * without the earlier key succeeds while values need it.
 */
export async function rotateKey(
  db: Database,
  keys: Keys,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let count = 0;
  for (const column of encryptedColumns) count += await reEncrypt(db, column, keys, isStopping);
  if (!isStopping()) await updateKeyCheck(db, keys);
  return count;
}
