import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../../http/schema.ts';

const nodeTypes = ['message', 'event', 'run', 'delivery', 'vendor_request'] as const;

export const TraceNode = Type.Object({
  id: Type.String({
    description: "A UUID, or of a vendor's request the id that the vendor gave its message",
  }),
  type: OneOf(nodeTypes),
  at: Timestamp('When it happened'),
  summary: Type.String({
    description:
      'Of an event its type, of a message its direction, type and how its text begins, of a run the name of the automation, of a delivery the URL of the webhook, of a vendor’s request the provider',
  }),
  causedBy: Nullable(
    Type.String({ description: 'The id of the node that it followed from; null for the root' }),
  ),
  depth: Type.Integer({ description: 'How many causes it has' }),
  sender: Type.Unsafe<'inbound' | 'outbound' | null>({
    type: ['string', 'null'],
    enum: ['inbound', 'outbound', null],
    description: 'Of a message',
  }),
  status: Nullable(Type.String({ description: 'Of a message, run, delivery or stored request' })),
  updatedAt: Nullable(Timestamp('When the status was last changed')),
  vendorId: Nullable(Type.String({ description: 'Of a message: the id that the vendor gave it' })),
  text: Nullable(Type.String({ description: 'Of a message: how its text begins' })),
  contactId: Nullable(Uuid('Whom it is about')),
  chatId: Nullable(Uuid('The chat in which it happened')),
  automationId: Nullable(Uuid('Of a run')),
  campaignId: Nullable(Uuid('Of a run that a campaign started')),
  hasContinued: Type.Boolean({
    description:
      'Of a run: whether it had waited for this message and went on. What it did before is left out',
  }),
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
    root: Type.String({ description: 'The id of the first cause, which is the first of the nodes' }),
    nodes: Type.Array(TraceNode, {
      description: 'The causes, and after each thing what followed from it: a tree in reading order',
    }),
    isComplete: Type.Boolean({ description: 'False if more followed than is shown' }),
  },
  { title: 'Trace' },
);
export type Trace = Static<typeof Trace>;

const node = {
  sender: null,
  status: null,
  updatedAt: null,
  vendorId: null,
  text: null,
  contactId: '019a82a0-0000-7000-8000-000000000040',
  chatId: '019a82a0-0000-7000-8000-000000000010',
  automationId: null,
  campaignId: null,
  hasContinued: false,
  webhookId: null,
  error: null,
};
const at = '2026-11-15T01:02:03.456Z';

export const exampleTrace: Trace = {
  root: '019a82a0-0000-7000-8000-000000000030',
  nodes: [
    {
      ...node,
      id: '019a82a0-0000-7000-8000-000000000030',
      type: 'message',
      at,
      summary: 'inbound text: Is this still available?',
      causedBy: null,
      depth: 0,
      sender: 'inbound',
      status: 'delivered',
      updatedAt: at,
      vendorId: 'wamid.HBgL',
      text: 'Is this still available?',
    },
    {
      ...node,
      id: '019a82a0-0000-7000-8000-0000000000f0',
      type: 'event',
      at,
      summary: 'message.received',
      causedBy: '019a82a0-0000-7000-8000-000000000030',
      depth: 1,
    },
    {
      ...node,
      id: '019a82a0-0000-7000-8000-000000000072',
      type: 'run',
      at,
      summary: 'Welcome',
      causedBy: '019a82a0-0000-7000-8000-0000000000f0',
      depth: 2,
      automationId: '019a82a0-0000-7000-8000-000000000070',
      status: 'waiting',
      updatedAt: at,
    },
  ],
  isComplete: true,
};
