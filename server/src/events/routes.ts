import type { Database } from '../db/database.ts';
import { eventStream, type Route, stream } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { eventFields, eventSource, presentEvent } from './event.ts';
import { readWish } from './filter.ts';
import { Event, StreamQuery } from './schema.ts';
import { type EventStreams, STREAMS_PER_TENANT } from './streams.ts';

const example: Event = {
  id: '019a82a0-0000-7000-8000-000000000070',
  type: 'message.received',
  createdAt: '2026-11-15T01:02:03.456Z',
  tenantId: '019a82a0-0000-7000-8000-000000000001',
  channelId: '019a82a0-0000-7000-8000-000000000020',
  sequence: 42,
  data: { id: '019a82a0-0000-7000-8000-000000000030', text: 'Is this still available?' },
};

export function eventRoutes({ db, streams }: { db: Database; streams: EventStreams }): Route[] {
  return [
    searchRoute(db, {
      path: '/v3/events/search',
      operationId: 'searchEvents',
      tag: 'Events',
      noun: 'events',
      access: 'events:read',
      searchable: eventFields,
      source: eventSource,
      schema: Event,
      present: presentEvent,
      example: { query: 'eq(type,"message.received")', item: example },
    }),
    stream(
      {
        method: 'GET',
        path: '/v3/events/stream',
        operationId: 'streamEvents',
        tag: 'Events',
        summary: 'Follow events as they happen',
        description: `Server-sent events in the order of their sequence: \`id\` is the sequence, \`event\` the type, \`data\` what webhooks are sent. The stream begins with what comes next, or, with the header \`Last-Event-ID\`, after that event, however long ago it was as long as it is kept: it misses nothing. A comment every 15 seconds says that it is alive. A tenant may have ${STREAMS_PER_TENANT} streams open at one server; one more is a \`conflict\`. The stream ends when its token does.`,
        access: 'events:read',
        query: StreamQuery,
        answer: eventStream,
        failures: ['conflict', 'service_unavailable'],
        example: {
          answer: `id: ${example.sequence}\nevent: ${example.type}\ndata: ${JSON.stringify(example)}\n\n`,
        },
      },
      async ({ principal: { tenantId }, query, given, isWelcome }) =>
        streams.open(tenantId, await readWish(db, tenantId, query, given('last-event-id')), isWelcome),
    ),
  ];
}
