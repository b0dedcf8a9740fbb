import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';

export const attributeTypes = ['text', 'number', 'boolean', 'date', 'datetime', 'url', 'select'] as const;
export type AttributeType = (typeof attributeTypes)[number];

/** The name of an attribute in requests. */
export const ExternalId = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]*$', maxLength: 100 });

const Name = Type.String({ minLength: 1, maxLength: 255 });
const Description = Nullable(Type.String({ maxLength: 1000 }));
const Options = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 200,
  uniqueItems: true,
  description: 'The values that a `select` may have',
});
const visibility = {
  isVisibleQuickEdit: Type.Optional(Type.Boolean()),
  isVisibleContactsTable: Type.Optional(Type.Boolean()),
  isVisibleContactCreate: Type.Optional(Type.Boolean()),
};

export const NewAttribute = Type.Object({
  name: Name,
  externalId: ExternalId,
  type: Type.Optional(OneOf(attributeTypes, '`text` if left out')),
  options: Type.Optional(Options),
  description: Type.Optional(Description),
  ...visibility,
});

export const AttributeChange = Type.Object({
  name: Type.Optional(Name),
  options: Type.Optional(Options),
  description: Type.Optional(Description),
  ...visibility,
});

export const Attribute = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    externalId: Type.String(),
    type: OneOf(attributeTypes),
    options: Type.Array(Type.String()),
    description: Nullable(Type.String()),
    isVisibleQuickEdit: Type.Boolean(),
    isVisibleContactsTable: Type.Boolean(),
    isVisibleContactCreate: Type.Boolean(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Attribute' },
);
export type Attribute = Static<typeof Attribute>;
