import type { Keys } from './base/crypto.ts';
import { encryptedConfig } from './channels/channel.ts';
import type { Database } from './db/database.ts';
import { type EncryptedColumn, reEncrypt } from './db/re-encrypt.ts';
import { encryptedAnswer } from './http/idempotency.ts';
import { keepKeyCheck } from './installation.ts';
import { encryptedSecrets } from './webhooks/webhook.ts';

/** Everything that is encrypted, but for the proof of the key itself. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  encryptedConfig,
  ...encryptedSecrets,
  encryptedAnswer,
];

/**
 * Encrypts everything anew with the present key, and says how many values there were. The proof of the key comes last:
 * until nothing is left that needs an earlier key, no start without that key succeeds.
 */
export async function rotateKey(
  db: Database,
  keys: Keys,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let count = 0;
  for (const column of encryptedColumns) count += await reEncrypt(db, column, keys, isStopping);
  if (!isStopping()) await keepKeyCheck(db, keys);
  return count;
}
