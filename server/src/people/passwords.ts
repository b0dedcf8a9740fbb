import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../base/errors.ts';

/** The cost of a password: 2^ln blocks of 128·r bytes, p times. */
export interface ScryptCost {
  ln: number;
  r: number;
  p: number;
}

/** 32 MiB and about 0.3 s on one core. */
const SCRYPT_COST: ScryptCost = { ln: 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Each takes a core and 32 MiB. */
const CONCURRENT = 2;
/** About three seconds of work. Those who come then are asked to try again. */
const MAX_WAITING = 20;
/** A stored hash of more than this would take minutes: it is not one of ours. */
const MAX_LN = 20;

export interface Passwords {
  /** The PHC string of a password. */
  hash(password: string): Promise<string>;
  /** Whether a password fits a PHC string. Takes as long if there is none. */
  verify(password: string, phc: string | null): Promise<boolean>;
  /** Whether a PHC string was made with another cost. */
  isOutdated(phc: string): boolean;
}

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

interface Parsed {
  cost: ScryptCost;
  salt: Buffer;
  hash: Buffer;
}

function parsePhc(phc: string): Parsed | undefined {
  const [, ln, r, p, salt, hash] = PHC.exec(phc) ?? [];
  if (salt === undefined || hash === undefined || Number(ln) > MAX_LN) return undefined;
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
const formatPhc = ({ cost: { ln, r, p }, salt, hash }: Parsed): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(hash)}`;

function derive(password: string, { cost, salt, hash }: Parsed): Promise<Buffer> {
  const options: ScryptOptions = {
    N: 2 ** cost.ln,
    r: cost.r,
    p: cost.p,
    maxmem: 256 * 2 ** cost.ln * cost.r,
  };
  return new Promise((resolve, reject) => {
    // The same characters can be typed in two ways: composed or not.
    scrypt(password.normalize('NFC'), salt, hash.length, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** Runs at most two at once; a few more wait in line. */
function limitConcurrency() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= CONCURRENT) {
      if (waiting.length >= MAX_WAITING)
        throw new ApiError('service_unavailable', { detail: 'too many people log in at once, try again' });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

export function createPasswords(cost: ScryptCost = SCRYPT_COST): Passwords {
  const inTurn = limitConcurrency();
  const fresh = (): Parsed => ({ cost, salt: randomBytes(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) });
  /** Compared with instead of a password that does not exist. */
  const nobody = fresh();
  return {
    async hash(password) {
      const parts = fresh();
      return formatPhc({ ...parts, hash: await inTurn(() => derive(password, parts)) });
    },
    async verify(password, phc) {
      const stored = phc === null ? undefined : parsePhc(phc);
      const expected = stored ?? nobody;
      const key = await inTurn(() => derive(password, expected));
      return timingSafeEqual(key, expected.hash) && stored !== undefined;
    },
    isOutdated(phc) {
      const stored = parsePhc(phc)?.cost;
      return stored?.ln !== cost.ln || stored.r !== cost.r || stored.p !== cost.p;
    },
  };
}
