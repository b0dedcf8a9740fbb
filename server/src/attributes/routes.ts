import { type Static, Type } from 'typebox';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import {
  ATTRIBUTE_COLUMNS,
  changeAttribute,
  createAttribute,
  presentAttribute,
  removeAttribute,
} from './attribute.ts';
import { Attribute, AttributeChange, attributeTypes, NewAttribute } from './schema.ts';

const example: Static<typeof Attribute> = {
  id: '019a82a0-0000-7000-8000-000000000050',
  name: 'Shoe size',
  externalId: 'shoeSize',
  type: 'number',
  options: [],
  description: null,
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

export function attributeRoutes(): Route[] {
  return [
    attributes.write(
      {
        method: 'POST',
        path: '/v3/attributes',
        operationId: 'createAttribute',
        summary: 'Create a contact attribute',
        description:
          'A field that contacts can have in addition to names and handles. `externalId` is unique in the tenant.',
        access: 'attributes:write',
        body: NewAttribute,
        answer: data(Attribute),
        failures: [],
        example: {
          body: { name: 'Shoe size', externalId: 'shoeSize', type: 'number', isVisibleQuickEdit: true },
          answer: example,
        },
      },
      ({ body }, tx) => createAttribute(tx, body),
    ),
    searchRoute({
      path: '/v3/attributes/search',
      operationId: 'searchAttributes',
      tag: 'Attributes',
      noun: 'contact attributes',
      access: 'attributes:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'a.id' },
          name: { type: 'string', sql: 'a.name' },
          externalId: { type: 'string', sql: 'a.external_id' },
          type: { type: 'enum', sql: 'a.type', values: attributeTypes },
          description: { type: 'string', sql: 'a.description', nullable: true },
          isVisibleQuickEdit: { type: 'boolean', sql: 'a.is_visible_quick_edit' },
          isVisibleContactsTable: { type: 'boolean', sql: 'a.is_visible_contacts_table' },
          isVisibleContactCreate: { type: 'boolean', sql: 'a.is_visible_contact_create' },
          createdAt: { type: 'time', sql: 'a.created_at' },
          updatedAt: { type: 'time', sql: 'a.updated_at' },
        },
        names: ['a.name', 'a.external_id'],
        id: 'a.id',
      },
      source: { select: ATTRIBUTE_COLUMNS, from: 'attributes a', tenantColumn: 'a.tenant_id' },
      schema: Attribute,
      present: presentAttribute,
      example: { query: 'eq(externalId,"shoeSize")', item: example },
    }),
    attributes.write(
      {
        method: 'PUT',
        path: '/v3/attributes/:attributeId',
        operationId: 'updateAttribute',
        summary: 'Update a contact attribute',
        description:
          'Changes the given fields. `externalId` and `type` cannot be changed, because values depend on them.',
        access: 'attributes:write',
        body: AttributeChange,
        answer: data(Attribute),
        failures: ['attribute_not_found'],
        example: { body: { name: 'Shoe size' }, answer: example },
      },
      ({ params, body }, tx) => changeAttribute(tx, params.attributeId, body),
    ),
    attributes.write(
      {
        method: 'DELETE',
        path: '/v3/attributes/:attributeId',
        operationId: 'deleteAttribute',
        summary: 'Delete a contact attribute',
        description: 'Also deletes its values on every contact.',
        access: 'attributes:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ params, query }, tx) => {
        await requireUnused(tx, 'attribute', params.attributeId, query);
        return deleted(params.attributeId, await removeAttribute(tx, params.attributeId));
      },
    ),
  ];
}
