import { type Static, Type } from 'typebox';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
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

const labels = routeFamily({
  tag: 'Labels',
  params: Type.Object({ labelId: Type.String() }),
  exampleParams: { labelId: example.id },
});

export function labelRoutes(): Route[] {
  return [
    labels.write(
      {
        method: 'POST',
        path: '/v3/labels',
        operationId: 'createLabel',
        summary: 'Create a label',
        description: 'Names are unique in the tenant and not case-sensitive.',
        access: 'contacts:write',
        body: NewLabel,
        answer: data(Label),
        failures: [],
        example: { body: { name: 'VIP', color: '#0f766e' }, answer: example },
      },
      ({ body }, tx) => createLabel(tx, body),
    ),
    searchRoute({
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
    labels.write(
      {
        method: 'PUT',
        path: '/v3/labels/:labelId',
        operationId: 'updateLabel',
        summary: 'Update a label',
        description: 'Changes the given fields; `color: null` removes the colour.',
        access: 'contacts:write',
        body: LabelChange,
        answer: data(Label),
        failures: ['label_not_found'],
        example: { body: { name: 'VIP' }, answer: example },
      },
      ({ params, body }, tx) => changeLabel(tx, params.labelId, body),
    ),
    labels.write(
      {
        method: 'DELETE',
        path: '/v3/labels/:labelId',
        operationId: 'deleteLabel',
        summary: 'Delete a label',
        description: 'Also removes it from every contact that has it.',
        access: 'contacts:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ params, query }, tx) => {
        await requireUnused(tx, 'label', params.labelId, query);
        return deleted(params.labelId, await removeLabel(tx, params.labelId));
      },
    ),
  ];
}
