import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../base/crypto.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226 recommends the length of SHA-1's output. */
const SECRET_BYTES = 20;
/** One step before and after, for clocks that differ. */
const DRIFT = [0, -1, 1];
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
const CODE = /^\d{6}$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, without padding: what authenticator apps take. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let value = 0;
  let bits = 0;
  for (const character of text) {
    value = ((value << 5) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

export const newTotpSecret = (): string => toBase32(randomBytes(SECRET_BYTES));

/** The code of a step (RFC 6238 with SHA-1). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) as number) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

export const stepAt = (ms: number): number => Math.floor(ms / STEP_MS);

/** The step that a code belongs to, if it is a present one and later than the last that was used. */
export function findStep(
  secret: string,
  code: string,
  nowMs: number,
  lastStep: number | null,
): number | undefined {
  if (!CODE.test(code)) return undefined;
  const given = Buffer.from(code);
  const isSame = (step: number): boolean => timingSafeEqual(Buffer.from(totpCode(secret, step)), given);
  return DRIFT.map((drift) => stepAt(nowMs) + drift).find(
    (step) => isSame(step) && (lastStep === null || step > lastStep),
  );
}

/** What an authenticator app reads from a picture. */
export const totpUri = (secret: string, email: string, issuer: string): string =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;

/** Ten codes of 80 random bits, as `XXXX-XXXX-XXXX-XXXX`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    (toBase32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g) as string[]).join('-'),
  );

/** Random enough that a plain hash cannot be reversed. */
export const hashRecoveryCode = (code: string): Buffer =>
  sha256(`recovery:${code.toUpperCase().replaceAll(/[^A-Z2-7]/g, '')}`);
