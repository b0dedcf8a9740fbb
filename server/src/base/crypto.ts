import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keys made from the installation's one secret, each for a purpose of its own. */
export interface Keys {
  /** Signs access tokens. */
  readonly tokens: Uint8Array;
  /** Encrypts `text`; `purpose` must be given again to decrypt it, so a value cannot be moved to another column. */
  encrypt(text: string, purpose: string): Buffer;
  decrypt(sealed: Buffer, purpose: string): string;
}

export function keysFrom(secret: string): Keys {
  const derive = (info: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'parley', info, 32));
  const atRest = derive('at-rest');
  return {
    tokens: derive('tokens'),
    encrypt(text, purpose) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', atRest, iv).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), body]);
    },
    decrypt(sealed, purpose) {
      if (sealed[0] !== VERSION) throw new Error(`Sealed value of unknown version ${sealed[0]}.`);
      const bodyAt = 1 + IV_BYTES + TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', atRest, sealed.subarray(1, 1 + IV_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(1 + IV_BYTES, bodyAt));
      return decipher.update(sealed.subarray(bodyAt), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

export const randomSecret = (bytes: number): string => randomBytes(bytes).toString('base64url');

export const sha256 = (text: string | Uint8Array): Buffer => createHash('sha256').update(text).digest();

/** Compares secrets in a time that does not tell how much of them was right. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(sha256(given), sha256(expected));
