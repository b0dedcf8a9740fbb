import type { Keys } from '../../base/crypto.ts';
import type { OutsideCall, SecretPart, StoredCall } from './state.ts';

const PURPOSE = 'automation_runs.call';

export function sealCall({ usesSecrets, ...call }: OutsideCall, keys: Keys): StoredCall {
  if (!usesSecrets) return call;
  const { headers, body, signingKey, ...rest } = call;
  const part: SecretPart = { headers, body, ...(signingKey === undefined ? {} : { signingKey }) };
  return { ...rest, sealed: keys.encrypt(JSON.stringify(part), PURPOSE).toString('base64') };
}

/** Undefined if the key of the installation was changed since, and the earlier one is gone. */
export function unsealCall(call: StoredCall, keys: Keys): OutsideCall | undefined {
  if (!('sealed' in call)) return call;
  const { sealed, ...rest } = call;
  try {
    const part = JSON.parse(keys.decrypt(Buffer.from(sealed, 'base64'), PURPOSE)) as SecretPart;
    return { ...rest, ...part };
  } catch {
    return undefined;
  }
}
