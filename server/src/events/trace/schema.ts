import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../../http/schema.ts';

const nodeTypes = ['message', 'event', 'run', 'delivery'] as const;

export const TraceNode = Type.Object({
  type: OneOf(nodeTypes),
  id: Uuid(),
  causedById: Nullable(Uuid('What it followed from; null for the first cause')),
  depth: Type.Integer({ description: 'How many causes it has' }),
  at: Timestamp('When it happened'),
  name: Type.String({
    description:
      'Of an event its type, of a message `inbound` or `outbound`, of a run the name of the automation, of a delivery the URL of the webhook',
  }),
  status: Nullable(Type.String({ description: 'Of a message, run or delivery' })),
  updatedAt: Nullable(Timestamp('When the status was last changed')),
  vendorId: Nullable(Type.String({ description: 'Of a message: the id that the vendor gave it' })),
  text: Nullable(Type.String({ description: 'Of a message: how its text begins' })),
  contactId: Nullable(Uuid('Whom it is about')),
  chatId: Nullable(Uuid('The chat in which it happened')),
  automationId: Nullable(Uuid('Of a run')),
  webhookId: Nullable(Uuid('Of a delivery')),
  error: Type.Unsafe<{ code: string; message: string } | null>({
    type: ['object', 'null'],
    properties: { code: { type: 'string' }, message: { type: 'string' } },
    required: ['code', 'message'],
  }),
});
export type TraceNode = Static<typeof TraceNode>;

export const Trace = Type.Object(
  {
    id: Uuid('What was asked for'),
    nodes: Type.Array(TraceNode, {
      description: 'The causes, and after each thing what followed from it: a tree in reading order',
    }),
    isComplete: Type.Boolean({ description: 'False if more followed than is shown' }),
  },
  { title: 'Trace' },
);
export type Trace = Static<typeof Trace>;

const node = {
  status: null,
  updatedAt: null,
  vendorId: null,
  text: null,
  contactId: '019a82a0-0000-7000-8000-000000000040',
  chatId: '019a82a0-0000-7000-8000-000000000010',
  automationId: null,
  webhookId: null,
  error: null,
};
const at = '2026-11-15T01:02:03.456Z';

export const exampleTrace: Trace = {
  id: '019a82a0-0000-7000-8000-0000000000f0',
  nodes: [
    {
      ...node,
      type: 'message',
      id: '019a82a0-0000-7000-8000-000000000030',
      causedById: null,
      depth: 0,
      at,
      name: 'inbound',
      status: 'delivered',
      updatedAt: at,
      vendorId: 'wamid.HBgL',
      text: 'Is this still available?',
    },
    {
      ...node,
      type: 'event',
      id: '019a82a0-0000-7000-8000-0000000000f0',
      causedById: '019a82a0-0000-7000-8000-000000000030',
      depth: 1,
      at,
      name: 'message.received',
    },
    {
      ...node,
      type: 'run',
      id: '019a82a0-0000-7000-8000-000000000072',
      causedById: '019a82a0-0000-7000-8000-0000000000f0',
      depth: 2,
      at,
      name: 'Welcome',
      automationId: '019a82a0-0000-7000-8000-000000000070',
      status: 'waiting',
      updatedAt: at,
    },
  ],
  isComplete: true,
};
