import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSignedByTwilio, SIGNATURE_HEADER } from '../../../../src/providers/twilio/signature.ts';

const folder = process.env.PARLEY_FIXTURES;

interface Vectors {
  token: string;
  url: string;
  params: Record<string, string | string[]>;
  vectors: { url?: string; params?: Record<string, string | string[]>; signature: string; note?: string }[];
}
const { token, url, params, vectors }: Vectors = folder
  ? JSON.parse(readFileSync(join(folder, 'twilio/signature-vectors.json'), 'utf8'))
  : { token: '', url: '', params: {}, vectors: [] };

function formOf(given: Record<string, string | string[]>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(given))
    for (const value of [values].flat()) form.append(name, value);
  return form;
}

describe.skipIf(!folder)('the recorded signatures of Twilio', () => {
  it('are there', () => expect(vectors.length).toBeGreaterThan(5));

  it.each(vectors)('is valid: $signature $note', (vector) => {
    const verify = (more: Record<string, string>, key = token) =>
      isSignedByTwilio(
        {
          url: vector.url ?? url,
          headers: { [SIGNATURE_HEADER]: vector.signature },
          body: Buffer.from(`${formOf({ ...(vector.params ?? params), ...more })}`),
        },
        key,
      );
    expect(verify({})).toBe(true);
    expect(verify({ Extra: '1' })).toBe(false);
    expect(verify({}, 'another')).toBe(false);
  });
});
