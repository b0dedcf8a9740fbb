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
