import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Without the id of its key: so values were written until keys could be changed. */
const WITHOUT_ID = 1;
const VERSION = 2;
const ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keys made from the installation's one secret, each for a purpose of its own; and from those that it had before. */
export interface Keys {
  /** Signs access tokens. */
  readonly tokens: Uint8Array;
  /** What signed access tokens before, as long as these are to be good. */
  readonly earlierTokens: readonly Uint8Array[];
  /** What everything begins with that is encrypted with the present key, and nothing else. */
  readonly prefix: Buffer;
  /** Encrypts `text`; `purpose` must be given again to decrypt it, so a value cannot be moved to another column. */
  encrypt(text: string, purpose: string): Buffer;
  /** Reads what the present key or an earlier one has encrypted. */
  decrypt(encrypted: Buffer, purpose: string): string;
}

const derive = (secret: string, info: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'parley', info, bytes));

const lockOf = (secret: string) => ({
  key: derive(secret, 'at-rest'),
  prefix: Buffer.concat([Buffer.of(VERSION), derive(secret, 'at-rest-id', ID_BYTES)]),
});

function open(key: Buffer, encrypted: Buffer, headBytes: number, purpose: string): string {
  const bodyAt = headBytes + IV_BYTES + TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(headBytes, headBytes + IV_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(encrypted.subarray(headBytes + IV_BYTES, bodyAt));
  return decipher.update(encrypted.subarray(bodyAt), undefined, 'utf8') + decipher.final('utf8');
}

/** Writes with `secret`; reads what was written with it or with one of the earlier ones. */
export function keysFrom(secret: string, earlier: readonly string[] = []): Keys {
  const present = lockOf(secret);
  const all = [present, ...earlier.map(lockOf)];

  /** Which of the keys it was cannot be seen; whichever opens it was the one. */
  function openWithAny(encrypted: Buffer, purpose: string): string {
    for (const { key } of all.slice(0, -1))
      try {
        return open(key, encrypted, 1, purpose);
      } catch {}
    return open((all.at(-1) as typeof present).key, encrypted, 1, purpose);
  }

  return {
    tokens: derive(secret, 'tokens'),
    earlierTokens: earlier.map((one) => derive(one, 'tokens')),
    prefix: present.prefix,
    encrypt(text, purpose) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', present.key, iv).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([present.prefix, iv, cipher.getAuthTag(), body]);
    },
    decrypt(encrypted, purpose) {
      if (encrypted[0] === WITHOUT_ID) return openWithAny(encrypted, purpose);
      const lock = all.find(({ prefix }) => prefix.equals(encrypted.subarray(0, prefix.length)));
      if (!lock) throw new Error('There is no key for this sealed value.');
      return open(lock.key, encrypted, lock.prefix.length, purpose);
    },
  };
}

export const randomSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');

export const sha256 = (text: string | Uint8Array): Buffer => createHash('sha256').update(text).digest();

/** Compares secrets in a time that does not tell how much of them was right. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(sha256(given), sha256(expected));
