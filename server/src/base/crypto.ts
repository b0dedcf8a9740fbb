import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The format of values without the id of their key, from before keys could be changed. */
const VERSION_WITHOUT_ID = 1;
const VERSION = 2;
const ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keys derived from the installation's secret and from its earlier secrets, each for one purpose. */
export interface Keys {
  /** Signs access tokens. */
  readonly tokens: Uint8Array;
  /** Verify access tokens that were signed with an earlier secret. */
  readonly earlierTokens: readonly Uint8Array[];
  /** Every value encrypted with the present key, and no other value, begins with this. */
  readonly prefix: Buffer;
  /** Encrypts `text`. `decrypt` needs the same `purpose`, so that a value cannot be moved to another column. */
  encrypt(text: string, purpose: string): Buffer;
  /** Decrypts a value of the present key or of an earlier one. */
  decrypt(encrypted: Buffer, purpose: string): string;
  /** A signature of `text` that only this installation can make, in base64url. */
  sign(text: string, purpose: string): string;
  /** Whether `text` was signed with the present key or an earlier one. Takes the same time for every wrong signature. */
  isSigned(text: string, signature: string, purpose: string): boolean;
}

const derive = (secret: string, info: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'parley', info, bytes));

const deriveKey = (secret: string) => ({
  key: derive(secret, 'at-rest'),
  prefix: Buffer.concat([Buffer.of(VERSION), derive(secret, 'at-rest-id', ID_BYTES)]),
});

function decryptWith(key: Buffer, encrypted: Buffer, headerBytes: number, purpose: string): string {
  const bodyStart = headerBytes + IV_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(
    'aes-256-gcm',
    key,
    encrypted.subarray(headerBytes, headerBytes + IV_BYTES),
  )
    .setAAD(Buffer.from(purpose))
    .setAuthTag(encrypted.subarray(headerBytes + IV_BYTES, bodyStart));
  return decipher.update(encrypted.subarray(bodyStart), undefined, 'utf8') + decipher.final('utf8');
}

/** Encrypts with `secret`, and decrypts with it or with one of the earlier secrets. */
export function keysFrom(secret: string, earlier: readonly string[] = []): Keys {
  const present = deriveKey(secret);
  const all = [present, ...earlier.map(deriveKey)];
  const [signing, ...earlierSigning] = [secret, ...earlier].map((one) => derive(one, 'signatures')) as [
    Buffer,
    ...Buffer[],
  ];
  const signWith = (key: Buffer, text: string, purpose: string): string =>
    createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url');

  /** For values without the id of their key: tries every key. */
  function decryptWithAny(encrypted: Buffer, purpose: string): string {
    for (const { key } of all.slice(0, -1))
      try {
        return decryptWith(key, encrypted, 1, purpose);
      } catch {}
    return decryptWith((all.at(-1) as typeof present).key, encrypted, 1, purpose);
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
      if (encrypted[0] === VERSION_WITHOUT_ID) return decryptWithAny(encrypted, purpose);
      const match = all.find(({ prefix }) => prefix.equals(encrypted.subarray(0, prefix.length)));
      if (!match) throw new Error('There is no key for this encrypted value.');
      return decryptWith(match.key, encrypted, match.prefix.length, purpose);
    },
    sign: (text, purpose) => signWith(signing, text, purpose),
    isSigned: (text, signature, purpose) =>
      [signing, ...earlierSigning]
        .map((key) => sameSecret(signature, signWith(key, text, purpose)))
        .includes(true),
  };
}

export const randomSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');

export const sha256 = (text: string | Uint8Array): Buffer => createHash('sha256').update(text).digest();

/** Compares secrets in constant time. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(sha256(given), sha256(expected));
