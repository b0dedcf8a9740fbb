import { type Static, Type } from 'typebox';
import { allAttributes, createAttribute, removeAttribute } from '../attributes/attribute.ts';
import { type Attribute as AttributeV3, NewAttribute } from '../attributes/schema.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { Timestamp, Uuid } from '../http/schema.ts';

const { type: _type, options: _options, ...fields } = NewAttribute.properties;
const NewAttributeV2 = Type.Object(fields);

const Attribute = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    type: Type.String({ description: '`text` for all that are created through v2' }),
    externalId: Type.Optional(Type.String()),
    isVisibleQuickEdit: Type.Boolean(),
    isVisibleContactsTable: Type.Boolean(),
    isVisibleContactCreate: Type.Boolean(),
    description: Type.Optional(Type.String({ description: 'Left out if there is none' })),
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

const attributes = routeFamily({
  tag: 'Attributes',
  params: Type.Object({ attributeId: Type.String() }),
  exampleParams: { attributeId: example.id },
});

const present = ({ description, options, ...attribute }: AttributeV3): Attribute => ({
  ...attribute,
  ...(description === null ? {} : { description }),
});

export function v2AttributeRoutes(): Route[] {
  return [
    attributes.read(
      {
        method: 'GET',
        path: '/v2/attributes',
        operationId: 'listAttributesV2',
        summary: 'List the contact attributes',
        description: 'All of them, the oldest first.',
        access: 'attributes:read',
        answer: data(Type.Array(Attribute)),
        failures: ['api_version_sunset'],
        example: { answer: [example] },
        successor: 'POST /v3/attributes/search',
      },
      async (_call, tenant) => (await allAttributes(tenant)).map(present),
    ),
    attributes.write(
      {
        method: 'POST',
        path: '/v2/attributes',
        operationId: 'createAttributeV2',
        summary: 'Create a contact attribute',
        description: 'Its type is `text`; v3 has more. `externalId` is unique in the tenant.',
        access: 'attributes:write',
        body: NewAttributeV2,
        answer: data(Attribute),
        failures: ['api_version_sunset'],
        example: {
          body: { name: 'Shoe size', externalId: 'shoeSize', isVisibleQuickEdit: true },
          answer: example,
        },
        successor: 'POST /v3/attributes',
      },
      async ({ body }, tx) => present(await createAttribute(tx, { ...body, type: 'text', options: [] })),
    ),
    attributes.write(
      {
        method: 'DELETE',
        path: '/v2/attributes/:attributeId',
        operationId: 'deleteAttributeV2',
        summary: 'Delete a contact attribute',
        description: 'Also deletes its values on every contact.',
        access: 'attributes:write',
        answer: data(DeleteResult),
        failures: ['api_version_sunset'],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
        successor: 'DELETE /v3/attributes/:attributeId',
      },
      async ({ params: { attributeId } }, tx) => deleted(attributeId, await removeAttribute(tx, attributeId)),
    ),
  ];
}
