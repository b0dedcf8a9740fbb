import { type Static, Type } from 'typebox';
import { allAttributes, createAttribute, removeAttribute } from '../attributes/attribute.ts';
import { type Attribute as AttributeOfToday, NewAttribute } from '../attributes/schema.ts';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { Timestamp, Uuid } from '../http/schema.ts';

const { type: _type, options: _options, ...fields } = NewAttribute.properties;
const NewAttributeV2 = Type.Object(fields);

const Attribute = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    type: Type.String({ description: '`text` for all that are made through v2' }),
    externalId: Type.Optional(Type.String()),
    isVisibleQuickEdit: Type.Boolean(),
    isVisibleContactsTable: Type.Boolean(),
    isVisibleContactCreate: Type.Boolean(),
    description: Type.Optional(Type.String({ description: 'Left out where there is none' })),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Attribute' },
);
type Attribute = Static<typeof Attribute>;

const example: Attribute = {
  id: '019a82a0-0000-7000-8000-000000000050',
  name: 'Shoe size',
  type: 'text',
  externalId: 'shoeSize',
  isVisibleQuickEdit: true,
  isVisibleContactsTable: false,
  isVisibleContactCreate: false,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

const present = ({ description, options, ...attribute }: AttributeOfToday): Attribute => ({
  ...attribute,
  ...(description === null ? {} : { description }),
});

export function v2AttributeRoutes({ db, clock }: { db: Database; clock: Clock }): Route[] {
  const shared = { tag: 'Attributes', failures: ['api_version_sunset'] } as const;
  return [
    read(
      {
        ...shared,
        method: 'GET',
        path: '/v2/attributes',
        operationId: 'listAttributesV2',
        summary: 'List the contact attributes',
        description: 'All of them, the oldest first.',
        access: 'attributes:read',
        answer: data(Type.Array(Attribute)),
        example: { answer: [example] },
        successor: 'POST /v3/attributes/search',
      },
      async ({ principal }) => (await allAttributes(db, principal.tenantId)).map(present),
    ),
    write(
      {
        ...shared,
        method: 'POST',
        path: '/v2/attributes',
        operationId: 'createAttributeV2',
        summary: 'Make a contact attribute',
        description: 'Its type is `text`; v3 has more. `externalId` is unique in the tenant.',
        access: 'attributes:write',
        body: NewAttributeV2,
        answer: data(Attribute),
        example: {
          body: { name: 'Shoe size', externalId: 'shoeSize', isVisibleQuickEdit: true },
          answer: example,
        },
        successor: 'POST /v3/attributes',
      },
      async ({ principal, body }, tx) =>
        present(
          await createAttribute(
            tx,
            principal.tenantId,
            // Whatever else the body has, version 2 knows neither types nor options.
            { ...body, type: 'text', options: [] },
            clock.now(principal.tenantId),
          ),
        ),
    ),
    write(
      {
        ...shared,
        method: 'DELETE',
        path: '/v2/attributes/:attributeId',
        operationId: 'deleteAttributeV2',
        summary: 'Delete a contact attribute',
        description: 'With its values on every contact.',
        access: 'attributes:write',
        params: Type.Object({ attributeId: Type.String() }),
        answer: data(DeleteResult),
        example: {
          params: { attributeId: example.id },
          answer: { deletedIds: [example.id], notFoundIds: [] },
        },
        successor: 'DELETE /v3/attributes/:attributeId',
      },
      async ({ principal, params: { attributeId } }, tx) =>
        deleted(attributeId, await removeAttribute(tx, principal.tenantId, attributeId)),
    ),
  ];
}
