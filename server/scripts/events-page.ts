import { eventTypes, streamOnlyTypes } from '../src/base/events.ts';
import { documentedEvents } from '../src/documented-events.ts';
import { eventCatalogue, streamOnlyCatalogue } from '../src/event-catalogue.ts';

/** The parts of a JSON schema that the page shows. */
interface Shown {
  title?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  items?: Shown;
  properties?: Record<string, Shown>;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
const anchor = (title: string): string => `[${title}](#${title.toLowerCase()})`;

/** The type of a field in words. */
function typeOf(schema: Shown): string {
  const types = [schema.type ?? 'object'].flat();
  const orNull = types.includes('null') ? ' or null' : '';
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return `${schema.enum.map((value) => `\`${value}\``).join(', ')}${orNull}`;
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.title) return `${anchor(schema.title)}${orNull}`;
  const name = schema.format === 'date-time' ? 'time' : schema.format === 'uuid' ? 'UUID' : types[0];
  return schema.properties
    ? `\`{ ${Object.keys(schema.properties).join(', ')} }\`${orNull}`
    : `${name}${orNull}`;
}

const fieldTable = ({ properties = {} }: Shown): string =>
  [
    '| Field | Type | |',
    '|---|---|---|',
    ...Object.entries(properties).map(
      ([name, schema]) => `| \`${name}\` | ${cell(typeOf(schema))} | ${cell(schema.description ?? '')} |`,
    ),
  ].join('\n');

/** Every schema with a title that can be reached, in the order of the page. */
function collect(schema: Shown, found = new Map<string, Shown>()): Map<string, Shown> {
  if (schema.title && schema.properties && !found.has(schema.title)) found.set(schema.title, schema);
  for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])])
    collect(inner, found);
  return found;
}

const resources = new Map<string, Shown>();
for (const { data } of [...Object.values(eventCatalogue), ...Object.values(streamOnlyCatalogue)])
  collect(data as Shown, resources);
const [first] = documentedEvents;
const envelope = (first as (typeof documentedEvents)[0]).schema as Shown;

export const eventsPage = `# Event types

Generated from the code by \`npm run docs\`. A webhook subscribes to a \`type\`, or to a prefix such as \`chat.*\`; see
[Webhooks](webhooks.md). New types will be added. Answer 2xx to types that you do not know.

| Type | When | \`data\` | Has a channel |
|---|---|---|---|
${eventTypes
  .map((type) => {
    const { when, data, hasChannel } = eventCatalogue[type];
    return `| \`${type}\` | ${cell(when)} | ${anchor((data as Shown).title ?? '')} | ${hasChannel ? 'yes' : 'no'} |`;
  })
  .join('\n')}

## Stream-only events

Open [streams](events-stream.md#stream-only-events) get these too. They are not stored, have no \`sequence\`, may be missed, and are
sent to no webhook.

| Type | When | \`data\` |
|---|---|---|
${streamOnlyTypes
  .map((type) => {
    const { when, data } = streamOnlyCatalogue[type];
    return `| \`${type}\` | ${cell(when)} | ${anchor((data as Shown).title ?? '')} |`;
  })
  .join('\n')}

## The body of a delivery

| Field | Type | |
|---|---|---|
${fieldTable({
  properties: {
    ...envelope.properties,
    type: { type: 'string', description: 'One of the types above' },
    channelId: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'Null if the event has no channel',
    },
    data: { type: 'object', description: 'The resource as the API returns it, at the time of the event' },
  },
})
  .split('\n')
  .slice(2)
  .join('\n')}

\`\`\`json
${JSON.stringify((first as (typeof documentedEvents)[0]).example, null, 2)}
\`\`\`

Events of sensitive chats contain no texts and no media. A body never changes: every attempt and every repetition sends the same
bytes.
${[...resources].map(([title, schema]) => `\n## ${title}\n\n${fieldTable(schema)}\n`).join('')}`;
