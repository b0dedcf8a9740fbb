import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { OperatorError } from '../base/errors.ts';
import { reasonOf } from './send.ts';

/** Takes a part of a result at a time; resolves when the next can be taken. */
export type Sink = (part: Uint8Array | string) => Promise<void>;

/** Writes a file that appears only when it is complete. `describe` says what to do if it cannot be written. */
export async function writeWhole(
  path: string,
  copy: (sink: Sink) => Promise<void>,
  describe: (reason: string) => string,
): Promise<void> {
  const draft = `${path}.${process.pid}.part`;
  const failed = (error: unknown): OperatorError => new OperatorError(describe(reasonOf(error)));
  const stream = createWriteStream(draft, { mode: 0o600 });
  const broken = new Promise<never>((_, reject) => stream.once('error', (error) => reject(failed(error))));
  broken.catch(() => {});
  try {
    await Promise.race([once(stream, 'open'), broken]);
    await copy(async (part) => {
      if (!stream.write(part)) await Promise.race([once(stream, 'drain'), broken]);
    });
    stream.end();
    await Promise.race([once(stream, 'close'), broken]);
    await rename(draft, path).catch((error) => {
      throw failed(error);
    });
  } catch (error) {
    stream.destroy();
    await unlink(draft).catch(() => {});
    throw error;
  }
}
