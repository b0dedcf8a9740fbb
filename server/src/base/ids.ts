import { randomBytes } from 'node:crypto';
import { nowMs } from './time.ts';

/** Any UUID version, in the plain spelling with hyphens. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => text.length === 36 && UUID.test(text);

/** The index of the version digit in a UUID. */
const VERSION_AT = 14;

/** Random digits are generated for many ids at a time. */
const RANDOM_BYTES = 8 * 512;
const DIGITS = 16;
let random = '';
let randomAt = 0;
let lastMs = 0;
let counter = 0;
/** The digits of `lastMs`, with their hyphens. */
let prefix = '';

/**
 * A UUIDv7. Ids of one process grow strictly, so that rows sort in the order of their creation: `rand_a` is a 12-bit
 * counter within a millisecond, and after its last value the next millisecond is used.
 */
export function newId(): string {
  const ms = nowMs();
  if (ms > lastMs) advanceTo(ms);
  else if (++counter > 0xfff) advanceTo(lastMs + 1);
  return `${prefix}${(0x7000 | counter).toString(16)}-${randomEnd()}`;
}

/** The random digits of an id, with the variant. */
function randomEnd(): string {
  if (randomAt === random.length) {
    random = randomBytes(RANDOM_BYTES).toString('hex');
    randomAt = 0;
  }
  const at = randomAt;
  randomAt += DIGITS;
  const variant = '89ab'[random.charCodeAt(at) & 3] as string;
  return `${variant}${random.slice(at + 1, at + 4)}-${random.slice(at + 4, at + DIGITS)}`;
}

function advanceTo(ms: number): void {
  lastMs = ms;
  counter = 0;
  prefix = prefixOf(ms);
}

function prefixOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-`;
}

/**
 * A new id that is later than this one, which another process may have made by a clock that is ahead. The ids that are not
 * compared with it stay on the time of this process.
 */
export function newIdAfter(previous: string): string {
  const id = newId();
  const isTimed = previous[VERSION_AT] === '7';
  return id > previous || !isTimed ? id : `${prefixOf(timeOfId(previous) + 1)}7000-${randomEnd()}`;
}

/**
 * The id of a test tenant: a UUID of version 8, while all other ids have version 7. So the id alone shows whether the
 * tenant has its own clock.
 */
export function newTestTenantId(): string {
  const id = newId();
  return `${id.slice(0, VERSION_AT)}8${id.slice(VERSION_AT + 1)}`;
}

export const isTestTenant = (tenantId: string): boolean => tenantId[VERSION_AT] === '8';

/** The smallest UUIDv7 of a time: the boundary between weekly partitions. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

const DAY_MS = 24 * 3600_000;
const MAX_TIME_MS = 2 ** 47;

/** When a UUIDv7 was made, in milliseconds. Of an id of another version it is any time. */
export const timeOfId = (id: string): number =>
  Math.max(DAY_MS, Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) % MAX_TIME_MS);
