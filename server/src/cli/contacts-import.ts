import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type CreateImportBody,
  cancelImport as cancelOnServer,
  createImport,
  deleteFile,
  examineImport,
  getImport,
  type Import,
  ParleyError,
  searchLabels,
  uploadFile,
} from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { ask } from './api.ts';
import { followImport } from './follow-import.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  refuseArguments,
  requireArgument,
  resultFlags,
  resultHelp,
  STOPPED,
  type Target,
  UsageError,
} from './options.ts';
import { reasonOf } from './send.ts';
import { jsonText, plain } from './text.ts';

const COMMAND = 'contacts import';
/** A large file over a slow line. */
const UPLOAD_MS = 30 * 60_000;
const existingChoices = ['skip', 'update'] as const;

const ERRORS = 'errors.csv';
/** For what is still wrong with the rows of `errors.csv`. */
const ERRORS_AGAIN = 'errors-2.csv';

const flags = {
  ...resultFlags,
  map: { type: 'string', multiple: true },
  country: { type: 'string' },
  'on-existing': { type: 'string' },
  label: { type: 'string', multiple: true },
  'dry-run': { type: 'boolean' },
  'no-events': { type: 'boolean' },
  'trigger-automations': { type: 'boolean' },
  errors: { type: 'string' },
  follow: { type: 'string' },
  cancel: { type: 'string' },
} as const;

const help = `parley contacts import: imports contacts from a CSV file and waits until it is done.

  parley contacts import customers.csv --country DE --map 'Mobile no.=phoneNumber' --dry-run

  --map COLUMN=FIELD   what a column is: firstName, lastName, fullName, phoneNumber, email, language, timezone,
                       isSubscribed, labels, attributes.…, metadata.… or nothing, to leave it out; may be repeated.
                       The others are guessed by their names
  --country CODE       the country of phone numbers without + and country code, such as DE
  --on-existing CHOICE skip (default) or update contacts that exist
  --label LABEL        the name or id of a label that every contact gets; may be repeated
  --no-events          publish no event for each contact
  --trigger-automations start automations for contacts that are created or get a label
  --dry-run            only check the rows
  --errors FILE        where rows that were not imported are written, with the reasons (default ${ERRORS})
  --follow ID          follow an import that was started before
  --cancel ID          cancel an import; what is stored stays
${resultHelp}

The token needs the scopes contacts:read, contacts:write, files:read and files:write. Ctrl-C leaves the import running.
Exit codes: 0 all rows are imported, 1 it failed or rows were not imported, 2 wrong usage, 130 stopped by Ctrl-C.`;

/** `parley contacts import`. */
export async function contactsImport(args: string[], context: CommandContext): Promise<void> {
  const { values, positionals } = readFlags(COMMAND, args, flags);
  const { env, say, note, signal } = context;
  if (values.help) return say(help);
  const chosen = values['on-existing'];
  if (chosen !== undefined && !(existingChoices as readonly string[]).includes(chosen))
    throw new UsageError(`--on-existing must be skip or update, not "${chosen}".`);
  const known = values.follow ?? values.cancel;
  const path = known === undefined ? requireArgument(COMMAND, 'The file', positionals) : undefined;
  if (known !== undefined) refuseArguments(COMMAND, positionals);
  const target = readTarget(values, env);
  const errors = await errorsPathOf(values.errors, path);

  if (values.cancel !== undefined) return cancelImport(target, values.cancel, values.json === true, context);
  const started =
    path === undefined
      ? await requireImport(target, known as string, signal)
      : await startImport(target, path, values, context).catch((error) => {
          if (!signal.aborted) throw error;
          note(error instanceof UnknownStart ? error.message : 'Stopped before the import was started.');
        });
  if (!started) {
    process.exitCode = STOPPED;
    return;
  }
  if (path !== undefined) note(`Import ${started.id} has started.`);
  await followImport(target, started, { errors, isJson: values.json === true }, context);
}

/** Whether two names are those of one file. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** Where rows with issues are written. Never to the file that is imported: it may have rows that are stored nowhere else. */
async function errorsPathOf(given: string | undefined, imported: string | undefined): Promise<string> {
  if (imported === undefined || !(await isSameFile(given ?? ERRORS, imported))) return given ?? ERRORS;
  if (given === undefined) return ERRORS_AGAIN;
  throw new UsageError(`--errors must name another file than the one that is imported.`);
}

const requireImport = (target: Target, importId: string, signal: AbortSignal): Promise<Import> =>
  ask(target, signal, (client, options) => getImport(client, { ...options, path: { importId } }));

async function cancelImport(
  target: Target,
  id: string,
  isJson: boolean,
  { say, signal }: CommandContext,
): Promise<void> {
  const ended = await ask(target, signal, (client, options) =>
    cancelOnServer(client, { ...options, path: { importId: id } }),
  );
  const { status, created, updated, skipped } = ended;
  say(isJson ? jsonText(ended) : `The import is ${status}. ${created + updated + skipped} rows were done.`);
}

interface ImportValues {
  map?: string[] | undefined;
  country?: string | undefined;
  'on-existing'?: string | undefined;
  label?: string[] | undefined;
  'dry-run'?: boolean | undefined;
  'no-events'?: boolean | undefined;
  'trigger-automations'?: boolean | undefined;
}

async function startImport(
  target: Target,
  path: string,
  values: ImportValues,
  { note, signal }: CommandContext,
): Promise<Import> {
  const maps = (values.map ?? []).map(readMap);
  const blob = await openTable(path);
  const labelIds = await findLabelIds(target, values.label ?? [], signal);
  note(`Uploading ${plain(basename(path))}…`);
  const file = await ask(
    target,
    signal,
    (client, options) =>
      uploadFile(client, {
        ...options,
        body: { file: new File([blob], basename(path), { type: 'text/csv' }), isPrivate: true },
      }),
    UPLOAD_MS,
  );
  try {
    const body: CreateImportBody = {
      fileId: file.id,
      mapping: await mapColumns(target, file.id, maps, signal),
      ...(values.country !== undefined && { defaultCountry: values.country.toUpperCase() }),
      ...(values['on-existing'] !== undefined && { onExisting: values['on-existing'] as 'skip' | 'update' }),
      ...(labelIds.length > 0 && { labelIds }),
      ...(values['no-events'] && { publishEvents: false }),
      ...(values['trigger-automations'] && { triggerAutomations: true }),
      dryRun: values['dry-run'] === true,
    };
    return await ask(target, signal, (client, options) => createImport(client, { ...options, body })).catch(
      (error) => {
        throw isRefused(error) ? error : new UnknownStart(error, file);
      },
    );
  } catch (error) {
    if (error instanceof UnknownStart) throw error;
    // Personal data that nobody will use.
    const path = { fileId: file.id };
    await ask(target, new AbortController().signal, (client, options) =>
      deleteFile(client, { ...options, path }),
    ).catch(() => {});
    throw error;
  }
}

/** Whether the server has said no. After any other error the import may exist. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof OperatorError ? error.cause : undefined;
  return cause instanceof ParleyError && cause.status < 500;
}

/** Nobody knows whether the import has started. Its file stays on the server: the import may read it. */
class UnknownStart extends OperatorError {
  constructor(cause: unknown, { id, filename }: { id: string; filename: string }) {
    const query = `eq(filename,${JSON.stringify(filename)})`;
    super(
      `${(cause as Error).message.replace(/\.$/, '')}. The import may have started nevertheless. Before you start it again, look for it by its file ${plain(filename)} (${id}): in the console under Imports, or with POST /v3/imports/search and the query ${plain(query)}. If it is there, follow it: parley contacts import --follow ID. If not, start again, and delete that file with DELETE /v3/files/${id}.`,
      { cause },
    );
  }
}

async function openTable(path: string): Promise<Blob> {
  try {
    // Opening it as a blob does not say why it fails.
    await access(path, constants.R_OK);
    if ((await stat(path)).isFile()) return await openAsBlob(path);
  } catch (error) {
    throw new OperatorError(
      `The file ${path} cannot be read (${reasonOf(error)}). Check its name and rights.`,
    );
  }
  throw new OperatorError(`${path} is not a file. Give the name of a CSV file.`);
}

interface ColumnMap {
  name: string;
  field: string | null;
}

/** `Column=field`. A name may have a =, a field has none. */
function readMap(text: string): ColumnMap {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new UsageError(`--map must be COLUMN=FIELD such as Mobile=phoneNumber, not "${text}".`);
  return { name: text.slice(0, at).trim(), field: text.slice(at + 1).trim() || null };
}

/** What the columns probably are, changed by what the user says they are. */
async function mapColumns(
  target: Target,
  fileId: string,
  maps: readonly ColumnMap[],
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const { columns } = await ask(target, signal, (client, options) =>
    examineImport(client, { ...options, body: { fileId } }),
  );
  const unknown = maps.find(({ name }) => !columns.some((column) => column.name === name));
  if (unknown) {
    const names = columns.map(({ name }) => `"${name}"`).slice(0, 30);
    throw new UsageError(`The file has no column "${unknown.name}". It has ${names.join(', ')}.`);
  }
  const guessed = columns.filter(
    ({ name, field }) =>
      field !== null && !maps.some((given) => given.name === name || given.field === field),
  );
  return Object.fromEntries(
    [...guessed, ...maps].flatMap(({ name, field }) => (field === null ? [] : [[name, field] as const])),
  );
}

async function findLabelIds(
  target: Target,
  labels: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  for (const label of labels) {
    if (isUuid(label)) {
      ids.push(label);
      continue;
    }
    const query = `eq(name,${JSON.stringify(label)})`;
    const { items } = await ask(target, signal, (client, options) =>
      searchLabels(client, { ...options, body: { query, pagination: { limit: 1 } } }),
    );
    if (!items[0])
      throw new OperatorError(
        `There is no label "${label}". Create it in the console or with POST /v3/labels.`,
      );
    ids.push(items[0].id);
  }
  return ids;
}
