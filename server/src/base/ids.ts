import { randomFillSync } from 'node:crypto';

/** Any UUID version, in the plain spelling with hyphens. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => text.length === 36 && UUID.test(text);

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const POOL_BYTES = 8 * 256;
const pool = new Uint8Array(POOL_BYTES);
let poolAt = POOL_BYTES;
let lastMs = 0;
let counter = 0;

/**
 * A UUIDv7. Ids of one process grow strictly: within a millisecond a 12-bit counter takes the place of
 * `rand_a`, and when it is spent the millisecond is borrowed from the future, so rows sort as they were made.
 */
export function newId(): string {
  const ms = Date.now();
  if (ms > lastMs) {
    lastMs = ms;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  if (poolAt === POOL_BYTES) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const high = Math.floor(lastMs / 0x10000)
    .toString(16)
    .padStart(8, '0');
  const low = (lastMs % 0x10000).toString(16).padStart(4, '0');
  const middle = (0x7000 | counter).toString(16);
  const at = poolAt;
  poolAt += 8;
  const byte = (index: number): string => HEX[pool[at + index] as number] as string;
  const variant = HEX[((pool[at] as number) & 0x3f) | 0x80] as string;
  return `${high}-${low}-${middle}-${variant}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`;
}

/** The smallest UUIDv7 of a moment: the boundary between partitions that are cut by time. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
