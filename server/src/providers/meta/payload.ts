import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../base/json-depth.ts';
import { storableJson } from '../../base/storable.ts';
import type { ProviderRequest } from '../provider-request.ts';

/** An object in a payload of Meta. None of its properties can be trusted to have a type. */
export type Part = Record<string, unknown>;

export const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};

export const partsOf = (value: unknown): Part[] => (Array.isArray(value) ? value.map(partOf) : []);

/** The text, or null if it is empty or not a text. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** An id, which Meta writes as a string or as a number; empty if there is none. */
export const idOf = (value: unknown): string =>
  typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : '';

export function requireId(value: unknown, named: string): string {
  const id = idOf(value);
  if (id === '') throw new Error(`The request contains ${named} without an id.`);
  return id;
}

/** A larger number is in milliseconds: in seconds it would be after the year 5138. */
const MAX_SECONDS = 1e11;
const MAX_MS = 8.64e15;

/** A time. WhatsApp writes seconds, as a string in messages and as a number in entries; Instagram milliseconds. */
export function timeOf(value: unknown): Date {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(number > 0) || number > MAX_MS)
    throw new Error(`The request contains an invalid time: ${JSON.stringify(value) ?? 'none'}.`);
  return new Date(Math.round(number < MAX_SECONDS ? number * 1000 : number));
}

/** An id that JSON.parse would round. In texts the quotes are escaped, so this only matches the key. */
const LONG_ID = /"(message_template_id)"\s*:\s*([0-9]{16,})/g;

/** Meta escapes every character that is not ASCII, so a body without such an escape has no text that cannot be stored. */
const ESCAPED_SURROGATE = /\\u(?:0000|d[89a-f])/i;

/** The entries of a request of Meta, with texts that can be stored. Throws if it has none. */
export function entriesOf({ body }: ProviderRequest): Part[] {
  if (isNestedTooDeeply(body)) throw new Error(`The request is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  const text = body.toString('utf8').replace(LONG_ID, '"$1":"$2"');
  const parsed: unknown = JSON.parse(text);
  const payload = partOf(ESCAPED_SURROGATE.test(text) ? storableJson(parsed) : parsed);
  if (!Array.isArray(payload.entry)) throw new Error('The request has no list of entries.');
  return payload.entry.map(partOf);
}

/** The ids of numbers, accounts and businesses. Ids of messages are not digits only. */
const KEY = /"(?:phone_number_id|waba_id|id)"\s{0,8}:\s{0,8}"?([0-9]{1,32})["\s,}]/g;
/** A batch of Meta has up to 1,000 changes, each with a sender, whose id may be digits, too. */
const MAX_KEYS = 5_000;
const MAX_FINDS = 20_000;

/**
 * What may be a vendor key in a body that is not verified, without parsing it. Searching 3 MiB of hostile input takes
 * 20 ms. Keys beyond the limit are ignored.
 */
export function findMetaKeys(body: Buffer): string[] {
  const keys = new Set<string>();
  let finds = 0;
  for (const [, key] of body.toString('latin1').matchAll(KEY)) {
    keys.add(key as string);
    if (keys.size === MAX_KEYS || ++finds === MAX_FINDS) break;
  }
  return [...keys];
}

/** The entries, or none if the request cannot be parsed. */
export function entriesOrNone(request: ProviderRequest): Part[] {
  try {
    return entriesOf(request);
  } catch {
    return [];
  }
}
