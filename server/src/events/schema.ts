import { type Static, Type } from 'typebox';
import { deletedResources } from '../base/events.ts';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';

export const Event = Type.Object(
  {
    id: Uuid('The `webhook-id` of its deliveries'),
    type: Type.String(),
    createdAt: Timestamp(),
    tenantId: Uuid(),
    channelId: Nullable(Uuid('Null for events that belong to no channel')),
    sequence: Type.Integer({
      description:
        'Increases with every event of the tenant; there may be gaps, and numbers are never reused unless a backup is restored. The `id` in the stream',
    }),
    data: FreeObject('The resource as the API returned it when the event happened'),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

/** The data of `resource.deleted`. */
export const DeletedResource = Type.Object(
  { resource: OneOf(deletedResources), id: Uuid() },
  { title: 'DeletedResource' },
);

/** Node limits the length of a header and of a URL to about the same. */
const MAX_LIST_LENGTH = 16_384;

export const StreamQuery = Type.Object({
  types: Type.Optional(
    Type.String({
      maxLength: MAX_LIST_LENGTH,
      description:
        'Only events of these types, comma-separated: names such as `message.received`, or prefixes such as `message.*`',
      examples: ['message.*,chat.created'],
    }),
  ),
  channelIds: Type.Optional(
    Type.String({
      maxLength: MAX_LIST_LENGTH,
      description: 'Only events of these channels, comma-separated',
    }),
  ),
  lastEventId: Type.Optional(
    Type.String({
      maxLength: MAX_LIST_LENGTH,
      description:
        'Continue after this event, for clients that cannot send the header `Last-Event-ID`, which takes precedence; `0`: from the oldest stored event',
      examples: ['4711'],
    }),
  ),
});
export type StreamQuery = Static<typeof StreamQuery>;
