import { Type } from 'typebox';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { NewView, View, ViewChange } from './schema.ts';
import {
  changeView,
  createView,
  presentView,
  removeView,
  requireView,
  VIEW_COLUMNS,
  viewerOf,
} from './view.ts';

const example: View = {
  id: '019a82a0-0000-7000-8000-0000000000a0',
  userId: '019a82a0-0000-7000-8000-000000000060',
  name: 'Waiting for long',
  query: 'and(eq(status,"open"),lt(waitingSince,now("-PT4H")))',
  sortBy: 'asc(waitingSince)',
  isShared: true,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const { name, query, sortBy, isShared } = example;

const views = routeFamily({
  tag: 'Views',
  params: Type.Object({ viewId: Type.String() }),
  exampleParams: { viewId: example.id },
});

export function viewRoutes(): Route[] {
  return [
    views.write(
      {
        method: 'POST',
        path: '/v3/views',
        operationId: 'createView',
        summary: 'Save a filter of chats',
        description:
          'A view is for the inbox. `query` and `sortBy` are checked as in `POST /v3/chats/search`; `me()` is the user who looks at the view.',
        access: 'chats:write',
        body: NewView,
        answer: data(View),
        failures: ['limit_reached'],
        example: { body: { name, query, sortBy, isShared }, answer: example },
      },
      ({ principal, body }, tx) => createView(tx, body, principal),
    ),
    views.read(
      {
        method: 'GET',
        path: '/v3/views/:viewId',
        operationId: 'getView',
        summary: 'Get a view',
        description: 'Views of other users that are not shared do not exist for the caller.',
        access: 'chats:read',
        answer: data(View),
        failures: ['view_not_found'],
        example: { answer: example },
      },
      ({ principal, params }, db) => requireView(db.byKey, params.viewId, principal),
    ),
    searchRoute({
      path: '/v3/views/search',
      operationId: 'searchViews',
      tag: 'Views',
      noun: 'views that the caller sees',
      access: 'chats:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'v.id' },
          userId: { type: 'uuid', sql: 'v.user_id', nullable: true },
          name: { type: 'string', sql: 'v.name' },
          query: { type: 'string', sql: 'v.query', isLong: true },
          sortBy: { type: 'string', sql: 'v.sort_by', nullable: true, isLong: true },
          isShared: { type: 'boolean', sql: 'v.is_shared' },
          createdAt: { type: 'time', sql: 'v.created_at' },
          updatedAt: { type: 'time', sql: 'v.updated_at' },
        },
        names: ['v.name'],
        id: 'v.id',
      },
      source: async (_db, _params, { caller }) => ({
        select: VIEW_COLUMNS,
        from: 'views v',
        tenantColumn: 'v.tenant_id',
        where: (bind) => `(v.is_shared or v.user_id = ${bind(viewerOf(caller))}::uuid)`,
      }),
      schema: View,
      present: presentView,
      example: { query: 'eq(isShared,true)', item: example },
    }),
    views.write(
      {
        method: 'PUT',
        path: '/v3/views/:viewId',
        operationId: 'updateView',
        summary: 'Update a view',
        description: 'Changes the given fields. Users change their own views; admins also those of others.',
        access: 'chats:write',
        body: ViewChange,
        answer: data(View),
        failures: ['view_not_found'],
        example: { body: { name }, answer: example },
      },
      ({ principal, params, body }, tx) => changeView(tx, params.viewId, body, principal),
    ),
    views.write(
      {
        method: 'DELETE',
        path: '/v3/views/:viewId',
        operationId: 'deleteView',
        summary: 'Delete a view',
        description: 'Its chats stay.',
        access: 'chats:write',
        answer: data(DeleteResult),
        failures: [],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(params.viewId, await removeView(tx, params.viewId, principal)),
    ),
  ];
}
