import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../http/schema.ts';

const MAX_FILES = 10;
const MAX_CHANNELS = 100;

const Shortcut = Type.String({
  pattern: '^[^\\s/]{1,50}$',
  description: 'What is typed after a slash, without spaces. Unique in the tenant, not case-sensitive',
});
const Text = Type.String({
  minLength: 1,
  maxLength: 4096,
  description:
    'May contain Liquid without loops: `{{ contact.firstName }}`, `{{ attributes.city }}`, `{{ user.name }}`, conditions',
});
const ChannelIds = Type.Array(Uuid(), {
  maxItems: MAX_CHANNELS,
  uniqueItems: true,
  description: 'The channels that it is for; empty for all',
});

const FileInput = Type.Object({ fileId: Uuid() });

const fields = {
  shortcut: Shortcut,
  text: Text,
  media: Type.Optional(
    Type.Union([FileInput, Type.Array(FileInput, { maxItems: MAX_FILES })], {
      description: 'One or several uploaded files',
    }),
  ),
  channelIds: Type.Optional(ChannelIds),
};
export const NewSavedReply = Type.Object(fields);
export const SavedReplyChange = Type.Partial(NewSavedReply);

export const SavedReply = Type.Object(
  {
    id: Uuid(),
    shortcut: Type.String(),
    text: Type.String(),
    media: Type.Array(
      Type.Object({
        fileId: Uuid(),
        filename: Type.String(),
        mimeType: Type.String(),
        size: Type.Integer({ description: 'In bytes' }),
      }),
    ),
    channelIds: Type.Array(Uuid()),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'SavedReply', description: 'A text that users insert by its shortcut' },
);
export type SavedReply = Static<typeof SavedReply>;

export const RenderBody = Type.Object({ chatId: Uuid('The chat that it will be sent in') });
export const RenderedReply = Type.Object({ text: Type.String() }, { title: 'RenderedReply' });
