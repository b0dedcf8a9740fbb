import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, Timestamp, Uuid } from '../http/schema.ts';

export const Event = Type.Object(
  {
    id: Uuid('The `webhook-id` of its deliveries'),
    type: Type.String(),
    createdAt: Timestamp(),
    tenantId: Uuid(),
    channelId: Nullable(Uuid('Null for events that belong to no channel')),
    sequence: Type.Integer({
      description:
        'Grows with every event of the tenant; numbers may be left out and are never used again. The `id` of the stream',
    }),
    data: FreeObject('The resource as the API showed it when the event happened'),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

/** A header is bounded by Node, and so is a line with all its parameters. */
const LONGEST_LIST = 16_384;

export const StreamQuery = Type.Object({
  types: Type.Optional(
    Type.String({
      maxLength: LONGEST_LIST,
      description:
        'Only events of these types, comma-separated: names such as `message.received`, or prefixes such as `message.*`',
      examples: ['message.*,chat.created'],
    }),
  ),
  channelIds: Type.Optional(
    Type.String({
      maxLength: LONGEST_LIST,
      description: 'Only events of these channels, comma-separated',
    }),
  ),
  lastEventId: Type.Optional(
    Type.String({
      maxLength: LONGEST_LIST,
      description:
        'Go on after this event, for clients that cannot send the header `Last-Event-ID`, which takes precedence; `0`: from the oldest event that is kept',
      examples: ['4711'],
    }),
  ),
});
export type StreamQuery = Static<typeof StreamQuery>;
