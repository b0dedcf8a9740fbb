import { type Static, Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { changeLabel, createLabel, presentLabel, removeLabel } from './label.ts';
import { Label, LabelChange, NewLabel } from './schema.ts';

const example: Static<typeof Label> = {
  id: '019a82a0-0000-7000-8000-000000000040',
  name: 'VIP',
  color: '#0f766e',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const LabelId = Type.Object({ labelId: Type.String() });
const at = { params: { labelId: example.id } };

export function labelRoutes({ db, clock }: { db: Database; clock: Clock }): Route[] {
  return [
    write(
      {
        method: 'POST',
        path: '/v3/labels',
        operationId: 'createLabel',
        tag: 'Labels',
        summary: 'Make a label',
        description: 'Names are unique in the tenant, whatever the case.',
        access: 'contacts:write',
        body: NewLabel,
        answer: data(Label),
        failures: [],
        example: { body: { name: 'VIP', color: '#0f766e' }, answer: example },
      },
      ({ principal, body }, tx) => createLabel(tx, principal.tenantId, body, clock.now(principal.tenantId)),
    ),
    searchRoute(db, {
      path: '/v3/labels/search',
      operationId: 'searchLabels',
      tag: 'Labels',
      noun: 'labels',
      access: 'contacts:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'l.id' },
          name: { type: 'string', sql: 'l.name' },
          color: { type: 'string', sql: 'l.color', nullable: true },
          createdAt: { type: 'time', sql: 'l.created_at' },
          updatedAt: { type: 'time', sql: 'l.updated_at' },
        },
        names: ['l.name'],
        id: 'l.id',
      },
      source: {
        select: 'l.id, l.name, l.color, l.created_at, l.updated_at',
        from: 'labels l',
        tenantColumn: 'l.tenant_id',
      },
      schema: Label,
      present: presentLabel,
      example: { query: 'eq(name,"VIP")', item: example },
    }),
    write(
      {
        method: 'PUT',
        path: '/v3/labels/:labelId',
        operationId: 'updateLabel',
        tag: 'Labels',
        summary: 'Change a label',
        description: 'Changes what is given; `color: null` takes the colour away.',
        access: 'contacts:write',
        params: LabelId,
        body: LabelChange,
        answer: data(Label),
        failures: ['label_not_found'],
        example: { ...at, body: { name: 'VIP' }, answer: example },
      },
      ({ principal, params, body }, tx) =>
        changeLabel(tx, principal.tenantId, params.labelId, body, clock.now(principal.tenantId)),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/labels/:labelId',
        operationId: 'deleteLabel',
        tag: 'Labels',
        summary: 'Delete a label',
        description: 'It disappears from every contact that has it.',
        access: 'contacts:write',
        params: LabelId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.labelId, await removeLabel(tx, principal.tenantId, params.labelId)),
    ),
  ];
}
