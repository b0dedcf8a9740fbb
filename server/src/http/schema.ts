import { type Static, type TSchema, Type } from 'typebox';

/**
 * A list of types instead of a union with null: the serializer would validate a union, which is eight times slower and
 * turns a mismatch into a 500.
 */
export const Nullable = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({
    ...schema,
    type: [(schema as { type?: string }).type ?? 'object', 'null'],
  });

/** The key of the schema that the API reference shows instead. A symbol, because the validator must ignore it. */
export const DOCUMENTED = Symbol('documented');

export const Uuid = (description?: string) =>
  Type.String({ format: 'uuid', ...(description === undefined ? {} : { description }) });

export const Timestamp = (description?: string) =>
  Type.String({ format: 'date-time', ...(description === undefined ? {} : { description }) });

export const OneOf = <const V extends readonly string[]>(values: V, description?: string) =>
  Type.Unsafe<V[number]>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });

/** RFC 6838 and RFC 2045. It becomes a header of mails and uploads, so it must not contain line breaks. */
const TOKEN = '[A-Za-z0-9!#$&^_.+-]{1,127}';
const MIME_TYPE = `^${TOKEN}/${TOKEN}(?: ?; ?${TOKEN}=(?:${TOKEN}|"[ !#-\\[\\]-~]{0,127}")){0,8}$`;
const mimeTypePattern = new RegExp(MIME_TYPE);

export const isMimeType = (text: string): boolean => mimeTypePattern.test(text);

export const MimeType = (description: string) =>
  Type.String({ maxLength: 255, pattern: MIME_TYPE, description });

/** An object with arbitrary keys. */
export const FreeObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

/** A time from a column, or from JSON that PostgreSQL built. */
export type StoredTime = Date | string;

/**
 * Formats a time. PostgreSQL's JSON contains `2026-11-15T01:02:03.45+00:00`, in UTC and without trailing zeros. Completing
 * that text takes a tenth of the time of parsing and formatting it.
 */
export function timestamp(time: StoredTime): string {
  if (typeof time !== 'string') return time.toISOString();
  const fraction = time.charCodeAt(19) === 46 ? time.slice(20, time.indexOf('+', 20)).slice(0, 3) : '';
  return `${time.slice(0, 19)}.${fraction.padEnd(3, '0')}Z`;
}

export const timestampOrNull = (time: StoredTime | null): string | null =>
  time === null ? null : timestamp(time);
