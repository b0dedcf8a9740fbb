import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { apiDocuments, contracts } from '../../src/app.ts';
import { eventTypes, streamOnlyTypes } from '../../src/base/events.ts';
import { isUuid } from '../../src/base/ids.ts';
import { documentedEvents, documentedStreamOnlyEvents } from '../../src/documented-events.ts';
import { isDateTime } from '../../src/http/validation.ts';

const ajv = new Ajv({ strict: false });
ajv.addFormat('uuid', { type: 'string', validate: isUuid });
ajv.addFormat('date-time', { type: 'string', validate: isDateTime });

describe('the catalogue of events', () => {
  it('has every type once, in the order of the list', () => {
    expect(documentedEvents.map(({ type }) => type)).toEqual(eventTypes);
    expect(new Set(eventTypes).size).toBe(eventTypes.length);
  });

  it('lists stream-only events at the stream, and at no webhook', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document of every shape
    const { paths, webhooks } = apiDocuments(contracts()).v3?.create() as any;
    expect(Object.keys(paths['/v3/events/stream'].get['x-stream-only-events'])).toEqual(streamOnlyTypes);
    expect(Object.keys(webhooks).filter((type) => streamOnlyTypes.includes(type as never))).toEqual([]);
    expect(documentedStreamOnlyEvents.map(({ type }) => type)).toEqual(streamOnlyTypes);
  });

  it.each([
    ...documentedEvents,
    ...documentedStreamOnlyEvents,
  ])('$type says when it happens, and its example matches its schema', (event) => {
    expect(event.type).toMatch(/^[a-z]+\.[a-z_]+$/);
    expect(event.when).toMatch(/^[A-Z].*\.$/);
    const validate = ajv.compile({ ...event.schema });
    expect(validate(event.example), JSON.stringify(validate.errors)).toBe(true);
  });

  it('matches the webhooks of the OpenAPI document, which use the schemas of the API', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a document of every shape
    const { webhooks, components } = apiDocuments(contracts()).v3?.create() as any;
    expect(Object.keys(webhooks)).toEqual(eventTypes);
    for (const { type, when, example } of documentedEvents) {
      const { description, parameters, requestBody, responses } = webhooks[type].post;
      expect(description).toBe(when);
      expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
      const { schema, example: shown } = requestBody.content['application/json'];
      expect(shown).toEqual(example);
      const title = /^#\/components\/schemas\/(\w+)$/.exec(schema.properties.data.$ref)?.[1];
      expect(Object.keys(components.schemas)).toContain(title);
      expect(Object.keys(responses).toSorted()).toEqual(['2XX', '410']);
    }
  });
});
