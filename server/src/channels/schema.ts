import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { channelKinds } from '../providers/adapter.ts';

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
    health: OneOf(channelHealths),
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
        path: Type.Optional(Type.String({ description: 'What it is about, such as `config.accessToken`' })),
        message: Type.String(),
      }),
    ),
  },
  { title: 'ChannelCheck' },
);

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
  text: Type.String({ minLength: 1, maxLength: 65_536 }),
  type: Type.Optional(OneOf(['text'])),
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "The name in the person's profile" }),
  ),
});

export const SandboxReceipt = Type.Object({
  vendorId: Type.String({ description: 'The `vendorId` of the message' }),
});
