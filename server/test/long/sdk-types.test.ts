import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type TypeScript from 'typescript';
import { expect, it } from 'vitest';
import { blocksOf } from '../kit/sdk-page.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

const ts: typeof TypeScript = createRequire(import.meta.url)('typescript');
const folder = await useTempFolder();
const sdk = fileURLToPath(new URL('../../../sdk/src/index.ts', import.meta.url));

const head = `import { createAutomation, createClient, createContact, deleteLabel, type Event, getChat, items, type Message, pages, ParleyError, searchChatMessages, searchChats, type Step, streamEvents } from '@parley/sdk';
export const client = createClient({ baseUrl: '', headers: () => ({ 'parley-tenant': 'x' }) });
`;

/** Each is a program of its own: what is right, and mistakes that the compiler must find. */
const samples: [title: string, code: string, isRight: boolean][] = [
  ['a step', `export const step: Step = { id: 'a', type: 'wait', parameters: { for: 'PT1H' } };`, true],
  [
    'an unknown kind of step',
    `export const step: Step = { id: 'a', type: 'wiat', parameters: { for: 'PT1H' } };`,
    false,
  ],
  [
    'the parameters of another step',
    `export const step: Step = { id: 'a', type: 'wait', parameters: { labelId: 'x' } };`,
    false,
  ],
  [
    'a wrong step in a call',
    `void createAutomation(client, { body: { name: 'x', trigger: { type: 'api' }, steps: [{ id: 'a', type: 'nope' }] } });`,
    false,
  ],
  [
    'a right step in a call',
    `void createAutomation(client, { body: { name: 'x', trigger: { type: 'api' }, steps: [{ id: 'a', type: 'end' }] } });`,
    true,
  ],
  [
    'what the type of an event says about its data',
    `export function read(event: Event): string | null {
       if (event.type === 'message.received') return event.data.text;
       if (event.type === 'chat.created') return event.data.contact.fullName;
       return null;
     }`,
    true,
  ],
  [
    'data of another event',
    `export const read = (event: Event) => event.type === 'chat.created' && event.data.text;`,
    false,
  ],
  ['an unknown event', `export const read = (event: Event) => event.type === 'chat.craeted';`, false],
  [
    'the items of a search',
    `export const texts = async () => (await searchChats(client)).items.map((chat) => chat.latestMessage?.text);`,
    true,
  ],
  [
    'items and pages',
    `export async function all() {
       for await (const page of pages(searchChats, client, { body: { pagination: { limit: 5 } } })) page.items[0]?.contact.fullName;
       for await (const chat of items(searchChats, client)) chat.status === 'open';
     }`,
    true,
  ],
  [
    'pages of a search that needs a path',
    `export const found = pages(searchChatMessages, client, { path: { chatId: 'x' } });`,
    true,
  ],
  ['pages without that path', `export const found = pages(searchChatMessages, client, {});`, false],
  [
    'pages of what is no search',
    `export const none = () => pages(getChat, client, { path: { chatId: 'x' } });`,
    false,
  ],
  ['a missing path', `void getChat(client, {});`, false],
  ['a body with an unknown key', `void createContact(client, { body: { fristName: 'Ada' } });`, false],
  ['a key where the API takes none', `void searchChats(client, { idempotencyKey: 'x' });`, false],
  ['a query', `void deleteLabel(client, { path: { labelId: 'x' }, query: { force: true } });`, true],
  ['a wrong query', `void deleteLabel(client, { path: { labelId: 'x' }, query: { force: 'yes' } });`, false],
  [
    'the reasons of errors',
    `export const isGone = (error: unknown) => error instanceof ParleyError && error.messageKey === 'chat_not_found';`,
    true,
  ],
  [
    'an unknown reason',
    `export const isGone = (error: ParleyError) => error.messageKey === 'chat_not_fuond';`,
    false,
  ],
  ['streams', `export const stream = streamEvents(client, { types: ['message.*', 'chat.created'] });`, true],
  [
    'a stream of unknown events',
    `export const stream = streamEvents(client, { types: ['chat.craeted'] });`,
    false,
  ],
  ['the status of a message', `export const isSent = (message: Message) => message.status === 'sent';`, true],
  ['an unknown status', `export const isSent = (message: Message) => message.status === 'snet';`, false],
];

it('the compiler accepts what is right and finds each mistake, for browsers under --strict', () => {
  const blocks = blocksOf('ts').map((code): (typeof samples)[0] => ['a block of the page', code, true]);
  const all = [...samples.map(([title, code, isRight]) => [title, head + code, isRight] as const), ...blocks];
  const files = all.map(([, code], index) => {
    const path = join(folder, `sample${index}.ts`);
    writeFileSync(path, code);
    return path;
  });
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('../../../node_modules/@types', import.meta.url))],
    allowImportingTsExtensions: true,
    paths: { '@parley/sdk': [sdk] },
  });
  const messages = ts.getPreEmitDiagnostics(program);
  const found = all.map(([title], index) => {
    const own = messages.filter(({ file }) => file?.fileName === files[index]);
    return [title, own.length === 0];
  });
  expect(found).toEqual(all.map(([title, , isRight]) => [title, isRight]));
  const elsewhere = messages.filter(({ file }) => !files.includes(file?.fileName ?? ''));
  expect(elsewhere.map(({ messageText }) => messageText)).toEqual([]);
});
