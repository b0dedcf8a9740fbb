import { isUtf8 } from 'node:buffer';
import { type Duplex, Transform, type TransformCallback } from 'node:stream';

/** Stands for the charset of a part that names none, or the one that mail programs name without looking. */
export const UNKNOWN_CHARSET = 'x-unknown';

/** The decoder of the library: a stream that decodes one charset. Throws for a charset that it does not know. */
export type CharsetDecoder = (charset: string) => Duplex;

const META_BYTES = 4_096;
const META_CHARSET =
  /<(?:meta|\?xml)\b[^>]{0,300}?\b(?:charset|encoding)\s{0,3}=\s{0,3}["']?([\w:.-]{1,40})/i;

/** The charset that a page names in itself, as browsers read it. */
const charsetInHtml = (bytes: Buffer): string | undefined =>
  META_CHARSET.exec(bytes.subarray(0, META_BYTES).toString('latin1'))?.[1];

const EAST_ASIAN_CHARSET = /^(?:big5|gb|hz|euc|ks_c|ksc|cp9|ms9|shift|sjis|x-sjis|windows-(?:31j|9))/i;
const NOT_EAST_ASIAN =
  /[^\p{ASCII}\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{P}\p{S}\p{Z}\u3000-\u303f\uff00-\uffef]/u;

/**
 * Whether bytes are UTF-8 whatever their label says. In other charsets hardly any text is valid UTF-8 by chance; in those of
 * East Asia a short one can be, so there the result must be in an East Asian script.
 */
const isUtf8Despite = (bytes: Buffer, charset: string): boolean =>
  !/^utf-?(?:7|16|32)/i.test(charset) &&
  isUtf8(bytes) &&
  bytes.some((byte) => byte > 0x7f) &&
  (!EAST_ASIAN_CHARSET.test(charset) || !NOT_EAST_ASIAN.test(bytes.toString('utf8')));

/** ISO-2022-KR is EUC-KR in seven bits: SO and SI say where the eighth bit belongs. */
function decodeIso2022Kr(bytes: Buffer): string {
  const eightBits = Buffer.alloc(bytes.length);
  let length = 0;
  let isShifted = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (byte === 0x0e || byte === 0x0f) isShifted = byte === 0x0e;
    // ESC $ ) C declares the charset.
    else if (byte === 0x1b && bytes.toString('latin1', index + 1, index + 4) === '$)C') index += 3;
    else eightBits[length++] = isShifted && byte > 0x20 ? byte | 0x80 : byte;
  }
  return new TextDecoder('euc-kr').decode(eightBits.subarray(0, length));
}

/** The text of bytes whose label is wrong, absent, or unknown to the library; undefined if the library can decode them. */
function decodeSpecial(bytes: Buffer, charset: string): string | undefined {
  if (/^(?:cs)?iso-?2022-?kr$/i.test(charset)) return decodeIso2022Kr(bytes);
  return isUtf8Despite(bytes, charset) ? bytes.toString('utf8') : undefined;
}

/** A stream that decodes a whole text. Texts are limited before, so that they fit into memory. */
export function decodeStream(charset: string, decoder: CharsetDecoder): Transform {
  const isUnknown = charset === UNKNOWN_CHARSET;
  // A charset that the library does not know throws here, where it expects that.
  if (!isUnknown && !/2022-?kr/i.test(charset)) decoder(charset).destroy();
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      chunks.push(chunk);
      done();
    },
    flush(done: TransformCallback) {
      const bytes = Buffer.concat(chunks);
      const named = isUnknown
        ? isUtf8(bytes)
          ? 'utf-8'
          : (charsetInHtml(bytes) ?? 'windows-1252')
        : charset;
      const text = named === 'utf-8' ? bytes.toString('utf8') : decodeSpecial(bytes, named);
      if (text === undefined) decodeWith(this, bytes, named, decoder, done);
      else done(null, text);
    },
  });
}

function decodeWith(
  target: Transform,
  bytes: Buffer,
  charset: string,
  decoder: CharsetDecoder,
  done: TransformCallback,
): void {
  let stream: Duplex;
  try {
    stream = decoder(charset);
  } catch {
    done(null, bytes);
    return;
  }
  stream.on('data', (chunk) => target.push(chunk));
  stream.once('end', () => done());
  stream.once('error', () => done());
  stream.end(bytes);
}
