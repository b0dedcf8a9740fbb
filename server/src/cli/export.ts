import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { exportChats, exportContacts, items, ParleyError, searchChats, searchContacts } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { clientOf, operatorError } from './api.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  refuseArguments,
  resultFlags,
  targetHelp,
} from './options.ts';
import { reasonOf } from './send.ts';
import { jsonText } from './text.ts';

const flags = {
  ...resultFlags,
  query: { type: 'string' },
  search: { type: 'string' },
  output: { type: 'string', short: 'o' },
} as const;

interface Exported {
  /** As in `parley contacts export`. */
  noun: 'contacts' | 'chats';
  download: typeof exportContacts;
  search: typeof searchContacts | typeof searchChats;
}

const helpOf = (
  noun: Exported['noun'],
): string => `parley ${noun} export: writes ${noun} as CSV, to a file or to the standard output.

  parley ${noun} export --query 'gt(createdAt,now("-P7D"))' --output ${noun}.csv

  --query FILTER       only those that match, as in POST /v3/${noun}/search
  --search TEXT        only those with this text in their names
  --output FILE, -o    a file, which appears when it is complete; default: the standard output
${targetHelp}
  --json               one JSON object per line instead of CSV

The token needs the scope ${noun}:read.`;

/** A part of the result at a time; resolves when the next can be taken. */
type Sink = (part: Uint8Array | string) => Promise<void>;

const exportCommand =
  ({ noun, download, search }: Exported) =>
  async (args: string[], { env, say, note, write, signal }: CommandContext): Promise<void> => {
    const { values, positionals } = readFlags(`${noun} export`, args, flags);
    if (values.help) return say(helpOf(noun));
    refuseArguments(`${noun} export`, positionals);
    const target = readTarget(values, env);
    const client = clientOf(target);
    const { query, search: text } = values;
    async function* parts(): AsyncGenerator<Uint8Array | string> {
      if (!values.json) {
        const { body } = await download(client, { query: { query, search: text }, signal });
        if (body) yield* body as unknown as AsyncIterable<Uint8Array>;
        return;
      }
      const body = { query, search: text, pagination: { limit: 100 } };
      const found = items(search as typeof searchContacts, client, { body, signal });
      for await (const item of found) yield `${jsonText(item, 0)}\n`;
    }
    const copy = async (sink: Sink): Promise<void> => {
      try {
        for await (const part of parts()) await sink(part);
      } catch (error) {
        if (signal.aborted || error instanceof OperatorError) throw error;
        if (error instanceof ParleyError) throw operatorError(target, error);
        throw new OperatorError(
          `The export is incomplete: the connection broke (${reasonOf(error)}). Try again.`,
        );
      }
    };
    if (values.output === undefined) return copy(write);
    await writeWhole(values.output, copy);
    note(`Written to ${values.output}.`);
  };

/** Writes a file that appears only when it is complete. */
async function writeWhole(path: string, copy: (sink: Sink) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}.part`;
  const failed = (error: unknown): OperatorError =>
    new OperatorError(`${path} cannot be written (${reasonOf(error)}). Choose another file with --output.`);
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

/** `parley contacts export`. */
export const contactsExport = exportCommand({
  noun: 'contacts',
  download: exportContacts,
  search: searchContacts,
});

/** `parley chats export`. */
export const chatsExport = exportCommand({ noun: 'chats', download: exportChats, search: searchChats });
