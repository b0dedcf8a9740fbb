import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { channelKinds, messageTypes } from '../providers/adapter.ts';

export const channelHealths = ['healthy', 'failing'] as const;

const Name = Type.String({ minLength: 1, maxLength: 255 });
const Address = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'What people write to: a phone number, an email address, an account',
});

export const NewChannel = (providers: readonly string[]) =>
  Type.Object({
    kind: OneOf(channelKinds, 'The medium'),
    provider: OneOf(providers, 'The vendor behind it; `sandbox` needs no account'),
    name: Name,
    address: Address,
    config: Type.Optional(
      FreeObject('Settings of the provider; credentials are stored encrypted and never returned'),
    ),
  });

export const ChannelChange = Type.Object({
  name: Type.Optional(Name),
  address: Type.Optional(Address),
  config: Type.Optional(
    FreeObject('Put over the stored settings: what is not named stays, null takes a setting away'),
  ),
  kind: Type.Optional(Type.String({ description: 'Cannot change: only the one it has' })),
  provider: Type.Optional(Type.String({ description: 'Cannot change: only the one it has' })),
});

export const Channel = Type.Object(
  {
    id: Uuid(),
    kind: OneOf(channelKinds),
    provider: Type.String(),
    name: Type.String(),
    address: Type.String(),
    health: OneOf(channelHealths, '`failing` while nothing goes out over it, and `problem` says why'),
    problem: Nullable(Type.String({ description: 'Why it is failing, in words; null while it is healthy' })),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Channel' },
);
export type Channel = Static<typeof Channel>;

export const ChannelCheck = Type.Object(
  {
    ok: Type.Boolean({ description: 'True when there is no problem' }),
    problems: Type.Array(
      Type.Object({
        path: Type.Optional(
          Type.String({
            description:
              'Which setting is to be put right, such as `config.accessToken`; absent where it is none',
          }),
        ),
        message: Type.String({ description: "What is wrong, in the vendor's words where it was asked" }),
      }),
    ),
  },
  { title: 'ChannelCheck' },
);

const InboundFile = Type.Object({
  fileId: Type.Optional(Uuid('An uploaded file')),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'A file that is elsewhere' })),
  mimeType: Type.Optional(Type.String({ maxLength: 255, description: 'Of what is elsewhere' })),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export const FailedRequest = Type.Object(
  {
    id: Uuid(),
    error: Nullable(
      Type.String({ description: 'Why it could not be processed; null while it is tried again' }),
    ),
    attempts: Type.Integer({ description: 'How often it was tried' }),
    receivedAt: Timestamp(),
    size: Type.Integer({ description: 'How many bytes its body has' }),
    body: Type.String({ description: 'Its body as the vendor sent it, up to 64 KiB' }),
    encoding: OneOf(
      ['text', 'base64'],
      'How the body is written here: what is not text in UTF-8 is in base64',
    ),
  },
  { title: 'FailedRequest' },
);
export type FailedRequest = Static<typeof FailedRequest>;

export const SandboxInbound = Type.Object({
  from: Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'Who writes: a phone number, an email address or an Instagram id, by the kind of the channel',
  }),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'What is written, or the caption of a file',
    }),
  ),
  type: Type.Optional(OneOf(messageTypes, 'Left out: what the rest makes it')),
  media: Type.Optional(
    Type.Union([InboundFile, Type.Array(InboundFile, { minItems: 1, maxItems: 20 })], {
      description: 'One file, or several, each by `fileId` or by `url`',
    }),
  ),
  content: Type.Optional(FreeObject('What the type carries beside text and media, as messages show it')),
  replyToMessageId: Type.Optional(Uuid('The message that it answers, or reacts to')),
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "The name in the person's profile" }),
  ),
});
export type SandboxInbound = Static<typeof SandboxInbound>;

export const SandboxReceipt = Type.Object({
  vendorId: Type.String({ description: 'The `vendorId` of the message' }),
});

export const SandboxFaultsInput = Type.Object({
  duplicate: Type.Optional(
    Type.Boolean({
      description: 'Each request of the vendor comes twice: what customers write, echoes and statuses',
    }),
  ),
  reorder: Type.Optional(
    Type.Boolean({ description: 'The statuses of a message come in the wrong order: the last one first' }),
  ),
  failEvery: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Of every so many attempts to send, the last is refused for the moment, nothing is accepted, and Parley tries again; 1: every attempt, 0: none',
    }),
  ),
  delayMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60_000,
      description: 'So long, in real time, the answer to a send takes once the message is accepted',
    }),
  ),
  echoBeforeResponse: Type.Optional(
    Type.Boolean({
      description:
        'What the vendor tells of a message does not wait for its answer to the send: on WhatsApp and Instagram an echo, elsewhere the first status. With `delayMs` it comes before the answer',
    }),
  ),
});
export const SandboxFaults = Type.Required(SandboxFaultsInput, { title: 'SandboxFaults' });

export const SandboxAccepted = Type.Object(
  {
    messageId: Uuid(),
    vendorId: Type.String(),
    to: Type.String(),
    type: OneOf(messageTypes),
    text: Nullable(Type.String()),
    content: FreeObject(
      'As the message shows it, with `media` and with the `vendorId` that it replies to as `replyTo`',
    ),
    at: Timestamp('When the sandbox took it'),
  },
  { title: 'SandboxAccepted' },
);
