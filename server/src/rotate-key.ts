import type { Keys } from './base/crypto.ts';
import { sealedConfig } from './channels/channel.ts';
import type { Database } from './db/database.ts';
import { reseal, type SealedColumn } from './db/reseal.ts';
import { sealedAnswer } from './http/idempotency.ts';
import { keepKeyCheck } from './installation.ts';
import { sealedSecrets } from './webhooks/webhook.ts';

/** Everything that is encrypted, but for the proof of the key itself. */
export const sealedColumns: readonly SealedColumn[] = [sealedConfig, ...sealedSecrets, sealedAnswer];

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
  for (const column of sealedColumns) count += await reseal(db, column, keys, isStopping);
  if (!isStopping()) await keepKeyCheck(db, keys);
  return count;
}
