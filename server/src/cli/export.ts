import { exportChats, exportContacts, items, ParleyError, searchChats, searchContacts } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { clientOf, notParley, operatorError } from './api.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  refuseArguments,
  resultFlags,
  STOPPED,
  targetHelp,
} from './options.ts';
import { reasonOf } from './send.ts';
import { jsonText, plain } from './text.ts';
import { type Sink, writeWhole } from './write-whole.ts';

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
        const { body, status, headers } = await download(client, { query: { query, search: text }, signal });
        // Many programs answer any path with a page of their own.
        if (!headers.get('content-type')?.startsWith('text/csv')) throw notParley(target, status);
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
        // What was written until then must not pass for the whole.
        if (signal.aborted) process.exitCode = STOPPED;
        if (signal.aborted || error instanceof OperatorError) throw error;
        if (error instanceof ParleyError) throw operatorError(target, error);
        throw new OperatorError(
          `The export is incomplete: the connection broke (${reasonOf(error)}). Try again.`,
        );
      }
    };
    if (values.output === undefined) return copy(write);
    const path = values.output;
    await writeWhole(
      path,
      copy,
      (reason) => `${path} cannot be written (${reason}). Choose another file with --output.`,
    );
    note(`Written to ${plain(path)}.`);
  };

/** `parley contacts export`. */
export const contactsExport = exportCommand({
  noun: 'contacts',
  download: exportContacts,
  search: searchContacts,
});

/** `parley chats export`. */
export const chatsExport = exportCommand({ noun: 'chats', download: exportChats, search: searchChats });
