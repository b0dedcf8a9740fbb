import { type Static, Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, write } from '../http/route.ts';
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
const AttributeId = Type.Object({ attributeId: Type.String() });
const at = { params: { attributeId: example.id } };

export function attributeRoutes({ db, clock }: { db: Database; clock: Clock }): Route[] {
  return [
    write(
      {
        method: 'POST',
        path: '/v3/attributes',
        operationId: 'createAttribute',
        tag: 'Attributes',
        summary: 'Make a contact attribute',
        description: 'What contacts can have beside names and handles. `externalId` is unique in the tenant.',
        access: 'attributes:write',
        body: NewAttribute,
        answer: data(Attribute),
        failures: [],
        example: {
          body: { name: 'Shoe size', externalId: 'shoeSize', type: 'number', isVisibleQuickEdit: true },
          answer: example,
        },
      },
      ({ principal, body }, tx) =>
        createAttribute(tx, principal.tenantId, body, clock.now(principal.tenantId)),
    ),
    searchRoute(db, {
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
    write(
      {
        method: 'PUT',
        path: '/v3/attributes/:attributeId',
        operationId: 'updateAttribute',
        tag: 'Attributes',
        summary: 'Change a contact attribute',
        description: 'Changes what is given. `externalId` and `type` stay, because values depend on them.',
        access: 'attributes:write',
        params: AttributeId,
        body: AttributeChange,
        answer: data(Attribute),
        failures: ['attribute_not_found'],
        example: { ...at, body: { name: 'Shoe size' }, answer: example },
      },
      ({ principal, params, body }, tx) =>
        changeAttribute(tx, principal.tenantId, params.attributeId, body, clock.now(principal.tenantId)),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/attributes/:attributeId',
        operationId: 'deleteAttribute',
        tag: 'Attributes',
        summary: 'Delete a contact attribute',
        description: 'With its values on every contact.',
        access: 'attributes:write',
        params: AttributeId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.attributeId, await removeAttribute(tx, principal.tenantId, params.attributeId)),
    ),
  ];
}
