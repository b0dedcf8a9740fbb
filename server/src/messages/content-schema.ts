import { type Static, Type } from 'typebox';
import { purposes } from '../contacts/consent/schema.ts';
import { FreeObject, MimeType, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { sendableTypes } from '../providers/kinds.ts';
import { Interactive, Label, Url } from './interactive-schema.ts';

const MediaInput = Type.Object({
  fileId: Type.Optional(Uuid('An uploaded file')),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The URL of a file that the vendor can fetch',
    }),
  ),
  mimeType: Type.Optional(
    MimeType('The MIME type of the file at `url`, such as `image/png`; by default from its name'),
  ),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export type MediaInput = Static<typeof MediaInput>;

const templateFile = {
  fileId: Type.Optional(Uuid('An uploaded file')),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'The URL of a file' })),
  filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
};
const PlaceText = Type.String({ minLength: 1, maxLength: 1000 });

/** What is in the header of a template: a file, or a place. */
export const TemplateFile = Type.Object(
  {
    ...templateFile,
    location: Type.Optional(
      Type.Object(
        {
          latitude: Type.Number({ minimum: -90, maximum: 90 }),
          longitude: Type.Number({ minimum: -180, maximum: 180 }),
          name: PlaceText,
          address: PlaceText,
        },
        { description: 'The place of a `location` header' },
      ),
    ),
  },
  {
    description:
      'The picture, video or document of its header, instead of the default one of the template; or its place',
  },
);
export type TemplateFile = Static<typeof TemplateFile>;

const Text = (maxLength: number) => Type.Optional(Label(maxLength));
const ContactCard = Type.Object({
  name: Label(255, 'The whole name, as it is shown'),
  firstName: Text(255),
  lastName: Text(255),
  organization: Text(255),
  department: Text(255),
  title: Text(255),
  birthday: Type.Optional(
    Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'As 1815-12-10' }),
  ),
  phoneNumbers: Type.Optional(Type.Array(Label(50), { maxItems: 20 })),
  emails: Type.Optional(Type.Array(Label(254), { maxItems: 20 })),
  urls: Type.Optional(Type.Array(Url, { maxItems: 20 })),
  addresses: Type.Optional(
    Type.Array(
      Type.Object({
        street: Text(255),
        city: Text(255),
        state: Text(255),
        zip: Text(50),
        country: Text(255),
        countryCode: Text(10),
      }),
      { maxItems: 10 },
    ),
  ),
});

export const content = {
  type: Type.Optional(OneOf(sendableTypes, 'By default from the other parameters')),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500_000,
      description: 'The text, or the caption of media',
    }),
  ),
  media: Type.Optional(
    Type.Union([MediaInput, Type.Array(MediaInput, { minItems: 1, maxItems: 100 })], {
      description: 'One or several files, each by `fileId` or by `url`',
    }),
  ),
  template: Type.Optional(
    Type.Object({
      templateId: Uuid(),
      variables: Type.Optional(FreeObject('A text for each variable of the template')),
      header: Type.Optional(TemplateFile),
      couponCode: Type.Optional(
        Type.String({ minLength: 1, maxLength: 20, description: 'For a `copy_code` button' }),
      ),
      offerExpiresAt: Type.Optional(Timestamp('When the offer of the template ends: in the future')),
      cards: Type.Optional(
        Type.Array(
          Type.Object({
            variables: Type.Optional(FreeObject('A text for each variable of the card')),
            header: Type.Optional(Type.Object(templateFile)),
          }),
          {
            minItems: 2,
            maxItems: 10,
            description: 'For each card of a carousel its variables and its file',
          },
        ),
      ),
    }),
  ),
  interactive: Type.Optional(Interactive),
  reaction: Type.Optional(
    Type.Object({
      messageId: Uuid('A message of the same chat'),
      emoji: Type.String({ maxLength: 32, description: 'Empty removes the reaction' }),
    }),
  ),
  location: Type.Optional(
    Type.Object({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      name: Type.Optional(Label(1000)),
      address: Type.Optional(Label(1000)),
    }),
  ),
  contacts: Type.Optional(
    Type.Array(ContactCard, { minItems: 1, maxItems: 50, description: 'Cards of contacts; on WhatsApp' }),
  ),
  email: Type.Optional(
    Type.Object({
      subject: Label(998),
      html: Type.Optional(Type.String({ minLength: 1, maxLength: 500_000 })),
      cc: Type.Optional(Type.Array(Label(254), { maxItems: 50 })),
    }),
  ),
  replyToMessageId: Type.Optional(Uuid('A message of the same chat')),
  purpose: Type.Optional(
    OneOf(purposes, '`service` by default. `marketing` is refused if the contact is unsubscribed'),
  ),
  scheduledAt: Type.Optional(Timestamp('When it is to be sent: in the future, at most a year ahead')),
};

/** The parts whose texts automations render: they are checked again when a run sends them. */
export const RenderedParts = Type.Object({ interactive: content.interactive, contacts: content.contacts });
