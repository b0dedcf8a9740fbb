import type { ProviderRequest } from '../adapter.ts';

/** Some of what Meta sends. Nothing in it is certain until it was looked at. */
export type Part = Record<string, unknown>;

export const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};

export const partsOf = (value: unknown): Part[] => (Array.isArray(value) ? value.map(partOf) : []);

/** A text with something in it, or null. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** An id, which Meta writes now as a string and now as a number; empty where there is none. */
export const idOf = (value: unknown): string =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : '';

export function requireId(value: unknown, named: string): string {
  const id = idOf(value);
  if (id === '') throw new Error(`The request holds ${named} without an id.`);
  return id;
}

/** From here on a number can only be milliseconds: as seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;
const LAST_MS = 8.64e15;

/** A moment. WhatsApp writes seconds, as a string for messages and as a number for entries; Instagram milliseconds. */
export function momentOf(value: unknown): Date {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(number > 0) || number > LAST_MS)
    throw new Error(`The request holds something without a time: ${JSON.stringify(value) ?? 'nothing'}.`);
  return new Date(Math.round(number < MILLISECONDS_FROM ? number * 1000 : number));
}

/** An id that JSON.parse would round. In a text of somebody its quotes are escaped, so this finds only the key. */
const LONG_ID = /"(message_template_id)"\s*:\s*([0-9]{16,})/g;

/** What a request of Meta is about. Throws when it is not one. */
export function entriesOf({ body }: ProviderRequest): Part[] {
  const payload = partOf(JSON.parse(body.toString('utf8').replace(LONG_ID, '"$1":"$2"')));
  if (!Array.isArray(payload.entry)) throw new Error('The request has no list of entries.');
  return payload.entry.map(partOf);
}

/** The same for whoever only wants to know where it belongs: nothing where it cannot be read. */
export function entriesIfReadable(request: ProviderRequest): Part[] {
  try {
    return entriesOf(request);
  } catch {
    return [];
  }
}
