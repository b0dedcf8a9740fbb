import { Type } from 'typebox';
import { data, eventStream } from '../http/answer.ts';
import { meOf, type Principal } from '../http/permissions.ts';
import { type Route, read, stream } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { eventFields, eventSource, presentEvent } from './event.ts';
import { type StreamRequest, validateStreamQuery } from './filter.ts';
import { restrictStream } from './restrict.ts';
import { Event, StreamQuery } from './schema.ts';
import type { EventStreams } from './streams.ts';
import { exampleTrace, Trace } from './trace/schema.ts';
import { traceCauses } from './trace/trace.ts';

const example: Event = {
  id: '019a82a0-0000-7000-8000-000000000070',
  type: 'message.received',
  createdAt: '2026-11-15T01:02:03.456Z',
  tenantId: '019a82a0-0000-7000-8000-000000000001',
  channelId: '019a82a0-0000-7000-8000-000000000020',
  sequence: 42,
  data: { id: '019a82a0-0000-7000-8000-000000000030', text: 'Is this still available?' },
};

/** Tokens see all channels, always: their streams need no further filter. */
const restrictTo = (
  { caller }: Principal,
  visibleChannels: () => ReadonlySet<string> | undefined,
  request: StreamRequest,
): StreamRequest => (caller.type === 'token' ? request : restrictStream(request, visibleChannels));

export function eventRoutes({ streams }: { streams: EventStreams }): Route[] {
  return [
    searchRoute({
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
    read(
      {
        method: 'GET',
        path: '/v3/trace/:traceId',
        operationId: 'getTrace',
        tag: 'Events',
        summary: 'Trace causes and consequences',
        description:
          'Shows what caused a message, an event, a run, a delivery or a request of a vendor, and what followed from it: a received message, its events, the deliveries and runs of those, what the runs sent, and what became of it. A reply leads to the run that went on with it. At most 200 things, six deep. Texts of messages need `messages:read`, and deliveries `webhooks:read`.',
        access: 'automations:read',
        params: Type.Object({
          traceId: Type.String({
            description:
              'The id of a message, an event, a run, a delivery, a failed request of a vendor, or the id that a vendor gave a message',
          }),
        }),
        answer: data(Trace),
        failures: ['event_not_found', 'search_too_slow'],
        example: { params: { traceId: exampleTrace.root }, answer: exampleTrace },
      },
      ({ principal, params }, db) => traceCauses(db, params.traceId, principal),
    ),
    stream(
      {
        method: 'GET',
        path: '/v3/events/stream',
        operationId: 'streamEvents',
        tag: 'Events',
        summary: 'Stream events',
        description: `Server-sent events in the order of their sequence: \`id\` is the sequence (after a backup was restored: an epoch, a dot and the sequence), \`event\` the type, \`data\` the body that webhooks receive. The stream starts with the next event, or, with the header \`Last-Event-ID\`, after that event as long as it is stored: no event is missed. A position from before a restore is a \`conflict\`. A comment every 15 seconds shows that the stream is alive. A tenant may have as many streams open at one server as \`limits.streams\` of \`GET /v3/me\` says; one more is \`limit_reached\`. Stream-only events come without an \`id\`, their \`sequence\` is null, and they are never sent again: people who have logged in get them, tokens only if \`types\` names them. The stream ends when its token or session ends.`,
        access: 'events:read',
        query: StreamQuery,
        answer: eventStream,
        failures: ['conflict', 'limit_reached', 'service_unavailable'],
        example: {
          answer: `id: ${example.sequence}\nevent: ${example.type}\ndata: ${JSON.stringify(example)}\n\n`,
        },
      },
      async ({ principal, query, given, isStillAuthorized, visibleChannels }, tenant) =>
        streams.open(
          tenant.tenantId,
          principal.limits.streams,
          restrictTo(
            principal,
            visibleChannels,
            await validateStreamQuery(tenant, query, given('last-event-id'), meOf(principal)?.userId),
          ),
          isStillAuthorized,
        ),
    ),
  ];
}
