import { type Static, Type } from 'typebox';
import { MAX_WORD_CHARACTERS } from '../contacts/consent/words.ts';
import { channelHours } from '../hours/schema.ts';
import { FreeObject, MimeType, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { channelKinds, messageTypes } from '../providers/kinds.ts';

export const channelHealths = ['unchecked', 'healthy', 'degraded', 'failing'] as const;

const Name = Type.String({ minLength: 1, maxLength: 255 });
const Address = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'What customers write to: a phone number, an email address, an account',
});

const Words = (description: string) =>
  Nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_WORD_CHARACTERS }), { maxItems: 50, description }),
  );
/** How contacts opt out by a message. */
const consentFields = {
  optOutWords: Words('Messages that unsubscribe; null: the usual ones of twelve languages'),
  optInWords: Words('Messages that subscribe again; null: start, unstop, subscribe'),
  optOutConfirmation: Nullable(
    Type.String({
      maxLength: 1000,
      description:
        'Answers an opt-out; null: a sentence in the language of the word; empty: nothing. On SMS the carrier confirms it',
    }),
  ),
};
const ConsentFields = Type.Object(consentFields);
export type ChannelConsent = Static<typeof ConsentFields>;
const givenConsent = Type.Partial(ConsentFields).properties;
const givenHours = Type.Partial(Type.Object(channelHours)).properties;

export const NewChannel = (providers: readonly string[]) =>
  Type.Object({
    kind: OneOf(channelKinds, 'The kind of channel'),
    provider: OneOf(providers, 'The vendor; `sandbox` needs no account'),
    name: Name,
    address: Address,
    config: Type.Optional(
      FreeObject('Settings of the provider; credentials are stored encrypted and never returned'),
    ),
    ...givenConsent,
    ...givenHours,
  });

export const ChannelChange = Type.Object({
  name: Type.Optional(Name),
  address: Type.Optional(Address),
  config: Type.Optional(
    FreeObject('Merged into the stored settings: what is left out is not changed, null removes a setting'),
  ),
  ...givenConsent,
  ...givenHours,
  kind: Type.Optional(Type.String({ description: 'Cannot be changed' })),
  provider: Type.Optional(Type.String({ description: 'Cannot be changed' })),
});

export const Channel = Type.Object(
  {
    id: Uuid(),
    kind: OneOf(channelKinds),
    provider: Type.String(),
    name: Type.String(),
    address: Type.String(),
    health: OneOf(
      channelHealths,
      '`unchecked` until a check succeeds or a message is sent, `failing` while it cannot send, `degraded` while the vendor warns about it or its mailbox refuses a mail; `problem` has the reason',
    ),
    ...consentFields,
    ...channelHours,
    problem: Nullable(Type.String({ description: 'Why it is failing or degraded; otherwise null' })),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Channel' },
);
export type Channel = Static<typeof Channel>;

export const ChannelCheck = Type.Object(
  {
    ok: Type.Boolean({ description: 'True if there is no problem' }),
    problems: Type.Array(
      Type.Object({
        path: Type.Optional(
          Type.String({
            description:
              'The setting that causes the problem, such as `config.accessToken`; absent if it is none',
          }),
        ),
        message: Type.String({ description: "The problem, with the vendor's message if it was called" }),
      }),
    ),
  },
  { title: 'ChannelCheck' },
);

const InboundFile = Type.Object({
  fileId: Type.Optional(Uuid('An uploaded file')),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'The URL of a file' })),
  mimeType: Type.Optional(MimeType('The MIME type of the file at `url`, such as `image/png`')),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export const FailedRequest = Type.Object(
  {
    id: Uuid(),
    error: Nullable(
      Type.String({
        description:
          'Why it could not be processed; null while it is tried again, or if the token lacks `messages:read`',
      }),
    ),
    attempts: Type.Integer({ description: 'The number of attempts' }),
    receivedAt: Timestamp(),
    size: Type.Integer({ description: 'The size of its body in bytes' }),
    body: Nullable(
      Type.String({
        description: 'Its body as the vendor sent it, up to 64 KiB; null if the token lacks `messages:read`',
      }),
    ),
    encoding: OneOf(['text', 'base64'], 'The encoding of `body`: `base64` if it is not UTF-8 text'),
  },
  { title: 'FailedRequest' },
);
export type FailedRequest = Static<typeof FailedRequest>;

export const SandboxInbound = Type.Object({
  from: Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'The sender: a phone number, email address or Instagram id, depending on the kind of channel',
  }),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The text, or the caption of a file',
    }),
  ),
  type: Type.Optional(OneOf(messageTypes, 'By default from the other parameters')),
  media: Type.Optional(
    Type.Union([InboundFile, Type.Array(InboundFile, { minItems: 1, maxItems: 20 })], {
      description: 'One or several files, each by `fileId` or by `url`',
    }),
  ),
  content: Type.Optional(FreeObject('Further content, depending on the type, as in messages')),
  replyToMessageId: Type.Optional(Uuid('The message that it replies or reacts to')),
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "The name in the customer's profile" }),
  ),
});
export type SandboxInbound = Static<typeof SandboxInbound>;

export const SandboxReceipt = Type.Object({
  vendorId: Type.String({ description: 'The `vendorId` of the message' }),
});

export const SandboxRead = Type.Object({
  from: Type.String({ maxLength: 255, description: 'The customer who reads, as in `inbound`' }),
});
export const SandboxReadReceipt = Type.Object({
  messageIds: Type.Array(Uuid(), { description: 'The messages that were read, at most 100' }),
});

export const SandboxFaultsInput = Type.Object({
  duplicate: Type.Optional(
    Type.Boolean({
      description: 'Each request of the vendor is sent twice: messages, echoes and statuses',
    }),
  ),
  reorder: Type.Optional(
    Type.Boolean({ description: 'The statuses of a message are sent in reverse order' }),
  ),
  failEvery: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Every n-th attempt to send is refused temporarily: the message is not accepted, and Parley tries again; 1: every attempt, 0: none',
    }),
  ),
  delayMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60_000,
      description: 'How long the answer to a send takes after the message is accepted, in real time',
    }),
  ),
  echoBeforeResponse: Type.Optional(
    Type.Boolean({
      description:
        'The first report about a message does not wait for the answer to the send: on WhatsApp and Instagram an echo, on other channels the first status. With `delayMs` it comes before the answer',
    }),
  ),
});
export const SandboxFaults = Type.Required(SandboxFaultsInput, { title: 'SandboxFaults' });

export const SandboxSettings = Type.Object(
  {
    faults: SandboxFaults,
    statusDelayMs: Type.Integer({ description: 'The time between two statuses of a message' }),
    readsAutomatically: Type.Boolean({
      description: 'Whether every message is reported as read after a moment',
    }),
  },
  { title: 'SandboxSettings' },
);

export const SandboxAccepted = Type.Object(
  {
    messageId: Uuid(),
    vendorId: Type.String(),
    to: Type.String(),
    type: OneOf(messageTypes),
    text: Nullable(Type.String()),
    content: FreeObject(
      'As in the message, with `media`, and with the `vendorId` of the message that it replies to as `replyTo`',
    ),
    at: Timestamp('When the sandbox accepted it'),
  },
  { title: 'SandboxAccepted' },
);
