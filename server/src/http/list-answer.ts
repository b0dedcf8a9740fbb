import { Readable } from 'node:stream';
import fastJson from 'fast-json-stringify';
import type { FastifyReply } from 'fastify';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { createTurns } from '../base/turns.ts';
import { compileOnce } from './compile-once.ts';

export const serializerOf = compileOnce((schema) => fastJson(schema as Parameters<typeof fastJson>[0]));

/** A list that is longer is sent in pieces: to write this many characters takes a few milliseconds. */
const MAX_AT_ONCE = 500_000;

interface List {
  success: true;
  data: readonly unknown[];
}

/**
 * Returns a function that prepares lists for sending. Most are one text. A longer one is written record by record while it is sent:
 * a page of a hundred mails has up to 250 MB, and to write it at once blocked the event loop for as long.
 */
export function listSender(schema: TSchema): (reply: FastifyReply, list: object) => string | Readable {
  const { success: _, data, ...rest } = (schema as TObject<TProperties>).properties;
  const writeRecord = serializerOf(() => (data as TSchema & { items: TSchema }).items);
  const writeRest = serializerOf(() => Type.Object(rest));

  function* piecesOf({ data, ...others }: List): Generator<string> {
    let separator = '{"success":true,"data":[';
    for (const record of data) {
      yield separator + writeRecord()(record);
      separator = ',';
    }
    const end = `],${writeRest()(others).slice(1)}`;
    yield data.length === 0 ? separator + end : end;
  }

  return (reply, list) => {
    reply.type('application/json; charset=utf-8');
    const pieces = piecesOf(list as List);
    let text = '';
    while (text.length <= MAX_AT_ONCE) {
      const { value, done } = pieces.next();
      if (done) return text;
      text += value;
    }
    return Readable.from(inTurns(text, pieces), { highWaterMark: 1 });
  };
}

async function* inTurns(first: string, pieces: Iterable<string>): AsyncGenerator<string> {
  yield first;
  const turn = createTurns();
  for (const piece of pieces) {
    await turn();
    yield piece;
  }
}
