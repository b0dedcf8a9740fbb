/** Writes the generated part of the TypeScript client from openapi/v3.json: `npm run sdk`. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeOrCheck } from './generated.ts';
import { commentOf, pascalCase, type Schema, typeWriter } from './sdk-types.ts';

interface Media {
  content?: Record<string, { schema: Schema }>;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: Media & { required?: boolean };
  responses: Record<string, Media>;
  /** Events that only this stream sends, by type. */
  'x-stream-only-events'?: Record<string, { description: string; schema: Schema }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
  webhooks: Record<string, Record<string, Operation>>;
}

const HEADER = '// Generated from openapi/v3.json by `npm run sdk`. Do not edit.\n';
const KEY = 'Idempotency-Key';

const { paths, components, webhooks }: Document = JSON.parse(
  await readFile(resolve('../openapi/v3.json'), 'utf8'),
);
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

// The error and the event have types of their own: ParleyError, and one type per event.
const { Error: error, Event: _, ...schemas } = components.schemas;
const bodies = new Map<string, string>();
const { typeOf, declarationOf } = typeWriter(schemas);

const jsonOf = ({ content }: Media): Schema | undefined => content?.['application/json']?.schema;

/** Texts of a URL that mean something else than a text. */
const typesByPattern = [
  { type: 'boolean', pattern: /^\^\(true\|false\)\$$/ },
  { type: 'integer', pattern: /^[\^$()|[\]{},\d-]+$/ },
];
const meaningOf = (schema: Schema): Schema => {
  const { pattern: text } = schema;
  const type = text && typesByPattern.find(({ pattern }) => pattern.test(text))?.type;
  return type ? { type } : schema;
};

/** The parameters of one place, such as the path, as an object. */
function parametersIn(place: string, { parameters = [] }: Operation): Schema | undefined {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return undefined;
  return {
    type: 'object',
    required: found.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      found.map(({ name, description, schema }) => [
        name,
        { ...meaningOf(schema), ...(description && { description }) },
      ]),
    ),
  };
}

/** The name of the type of a body, which is declared once; bodies of searches are all alike. */
function bodyType(operation: Operation, schema: Schema, isSearch: boolean): string {
  const ownName = `${pascalCase(operation.operationId)}Body`;
  for (const name of isSearch ? ['SearchBody', ownName] : [ownName]) {
    const declaration = declarationOf(name, schema, { isInput: true });
    if ((bodies.get(name) ?? declaration) !== declaration) continue;
    bodies.set(name, declaration);
    return name;
  }
  throw new Error(`Two operations are called ${operation.operationId}.`);
}

/** The type of a search: a page of items, and what else the answer has. */
function pageType({ properties = {}, required = [] }: Schema): string {
  const { success: _success, data, pagination: _pagination, query: _query, ...others } = properties;
  const page = `Page<${typeOf(data?.items ?? {})}>`;
  if (Object.keys(others).length === 0) return page;
  return `${page} & ${typeOf({ type: 'object', properties: others, required })}`;
}

function writeOperation({ path, method, operation }: (typeof operations)[number]): string {
  const answer = operation.responses['200'] ?? {};
  const schema = jsonOf(answer);
  const { data, pagination } = schema?.properties ?? {};
  const isSearch = pagination !== undefined;
  const isKeyed = operation.parameters?.some(({ name }) => name === KEY) ?? false;
  const form = operation.requestBody?.content?.['multipart/form-data']?.schema;
  const body = form ?? (operation.requestBody && jsonOf(operation.requestBody));
  const result = !schema ? 'Response' : isSearch ? pageType(schema) : data ? typeOf(data) : 'void';

  const parts = [
    { name: 'path', isRequired: true, schema: parametersIn('path', operation) },
    { name: 'query', isRequired: false, schema: parametersIn('query', operation) },
  ].flatMap(({ name, isRequired, schema: parameters }) =>
    parameters ? [{ name, isRequired, type: typeOf(parameters, { isInput: true }) }] : [],
  );
  if (body)
    parts.push({
      name: 'body',
      isRequired: form !== undefined || operation.requestBody?.required === true,
      type: bodyType(operation, body, isSearch),
    });
  const members = parts.map(({ name, isRequired, type }) =>
    isRequired ? `${name}: ${type}` : `${name}?: ${type} | undefined`,
  );
  const options = isKeyed ? 'KeyedOptions' : 'CallOptions';
  const input = members.length === 0 ? options : `${options} & { ${members.join('; ')} }`;
  const orNothing = parts.some(({ isRequired }) => isRequired) ? '' : ' = {}';

  const [helper, ...first] = !schema
    ? ['download']
    : isSearch
      ? [method === 'GET' ? 'list' : 'search']
      : form
        ? ['upload']
        : isKeyed
          ? ['create']
          : ['call', `'${method}'`];
  const text = [operation.summary, `\`${method} ${path}\``, operation.description]
    .filter(Boolean)
    .join('\n\n');
  return (
    `${commentOf(text)}export const ${operation.operationId} = (client: Client, input: ${input}${orNothing}): ` +
    `Promise<${result}> =>\n  ${helper}(${['client', ...first, `'${path}'`, 'input'].join(', ')});\n`
  );
}

/** One type per event that webhooks receive. */
const events = Object.entries(webhooks).map(([type, { post }]) => ({
  name: `${pascalCase(type)}Event`,
  schema: { ...(post?.requestBody && jsonOf(post.requestBody)), description: post?.description } as Schema,
}));

// Those that send a stream have a function of their own: streamEvents.
const isStream = ({ operation }: (typeof operations)[number]): boolean =>
  operation.responses['200']?.content?.['text/event-stream'] !== undefined;
// A browser follows those that redirect, not a program.
const isRedirect = ({ operation }: (typeof operations)[number]): boolean =>
  operation.responses['200'] === undefined;
const calls = operations.filter((one) => !isStream(one) && !isRedirect(one));
const streamOnly = operations.filter(isStream).flatMap(({ operation }) =>
  Object.entries(operation['x-stream-only-events'] ?? {}).map(([type, { description, schema }]) => ({
    name: `${pascalCase(type)}Event`,
    schema: { ...schema, description },
  })),
);
const unionOf = (name: string, text: string, members: readonly string[]) =>
  [
    name,
    `/** ${text} */\nexport type ${name} =\n${members.map((one) => `  | ${one}`).join('\n')};\n`,
  ] as const;
const written = calls.map(writeOperation).join('\n');
const declarations = [
  ...Object.entries(schemas).map(([name, schema]) => [name, declarationOf(name, schema)] as const),
  ...bodies,
  ...[...events, ...streamOnly].map(({ name, schema }) => [name, declarationOf(name, schema)] as const),
  unionOf(
    'Event',
    'What happened in a tenant, as webhooks and the stream send it: `type` says what `data` is.',
    events.map(({ name }) => name),
  ),
  unionOf('StreamEvent', 'What the stream sends.', ['Event', ...streamOnly.map(({ name }) => name)]),
  unionOf(
    'MessageKey',
    'The reasons of errors.',
    (error?.properties?.error?.properties?.messageKey?.enum ?? []).map((key) => JSON.stringify(key)),
  ),
];
const twice = declarations.map(([name]) => name).find((name, index, names) => names.indexOf(name) !== index);
if (twice) throw new Error(`Two types are called ${twice}.`);

const named = new Set(written.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').match(/\b[A-Z]\w+/g));
const imported = declarations.map(([name]) => name).filter((name) => named.has(name));
await writeOrCheck(
  {
    [resolve('../sdk/src/generated/types.ts')]:
      `${HEADER}\n${declarations.map(([, text]) => text).join('\n')}`,
    [resolve('../sdk/src/generated/operations.ts')]:
      `${HEADER}import { type CallOptions, type Client, call, create, download, type KeyedOptions, list, type Page, search, upload } from '../call.ts';\n` +
      `import type {\n${imported
        .sort()
        .map((name) => `  ${name},\n`)
        .join('')}} from './types.ts';\n\n${written}`,
  },
  'npm run sdk',
);
