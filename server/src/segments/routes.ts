import { Type } from 'typebox';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { NewSegment, Segment, SegmentChange, SegmentCount } from './schema.ts';
import {
  changeSegment,
  countSegment,
  createSegment,
  presentSegment,
  removeSegment,
  requireSegment,
  SEGMENT_COLUMNS,
} from './segment.ts';

const example: Segment = {
  id: '019a82a0-0000-7000-8000-0000000000a5',
  name: 'Customers in Berlin',
  query: 'and(eq(timezone,"Europe/Berlin"),eq(isSubscribed,true))',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const { name, query } = example;

const segments = routeFamily({
  tag: 'Segments',
  params: Type.Object({ segmentId: Type.String() }),
  exampleParams: { segmentId: example.id },
});

export function segmentRoutes(): Route[] {
  return [
    segments.write(
      {
        method: 'POST',
        path: '/v3/segments',
        operationId: 'createSegment',
        summary: 'Save a filter of contacts',
        description:
          'A segment is everyone who matches its filter at the moment it is used, for example as the audience of a campaign. Filters of contacts name it with `segment("<id>")`.',
        access: 'contacts:write',
        body: NewSegment,
        answer: data(Segment),
        failures: ['limit_reached'],
        example: { body: { name, query }, answer: example },
      },
      ({ body }, tx) => createSegment(tx, body),
    ),
    segments.read(
      {
        method: 'GET',
        path: '/v3/segments/:segmentId',
        operationId: 'getSegment',
        summary: 'Get a segment',
        description: 'Its contacts are found by its filter, with `POST /v3/contacts/search`.',
        access: 'contacts:read',
        answer: data(Segment),
        failures: ['segment_not_found'],
        example: { answer: example },
      },
      ({ params }, db) => requireSegment(db.byKey, params.segmentId),
    ),
    segments.read(
      {
        method: 'GET',
        path: '/v3/segments/:segmentId/count',
        operationId: 'countSegment',
        summary: 'Count the contacts of a segment',
        description: 'Counts up to 100,000 contacts that match now.',
        access: 'contacts:read',
        answer: data(SegmentCount),
        failures: ['segment_not_found', 'conflict', 'search_too_slow'],
        example: { answer: { total: 4_200, totalIsCapped: false } },
      },
      ({ params }, db) => countSegment(db, params.segmentId),
    ),
    searchRoute({
      path: '/v3/segments/search',
      operationId: 'searchSegments',
      tag: 'Segments',
      noun: 'segments',
      access: 'contacts:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 's.id' },
          name: { type: 'string', sql: 's.name' },
          query: { type: 'string', sql: 's.query', isLong: true },
          createdAt: { type: 'time', sql: 's.created_at' },
          updatedAt: { type: 'time', sql: 's.updated_at' },
        },
        names: ['s.name'],
        id: 's.id',
      },
      source: { select: SEGMENT_COLUMNS, from: 'segments s', tenantColumn: 's.tenant_id' },
      schema: Segment,
      present: presentSegment,
      example: { query: 'startsWith(name,"Customers")', item: example },
    }),
    segments.write(
      {
        method: 'PUT',
        path: '/v3/segments/:segmentId',
        operationId: 'updateSegment',
        summary: 'Update a segment',
        description:
          'Changes the given fields. Campaigns that are running keep the filter that they began with; the next occurrence uses the new one. A filter with which another segment, or an audience that names this one, would no longer be valid is refused.',
        access: 'contacts:write',
        body: SegmentChange,
        answer: data(Segment),
        failures: ['segment_not_found'],
        example: { body: { name }, answer: example },
      },
      ({ params, body }, tx) => changeSegment(tx, params.segmentId, body),
    ),
    segments.write(
      {
        method: 'DELETE',
        path: '/v3/segments/:segmentId',
        operationId: 'deleteSegment',
        summary: 'Delete a segment',
        description:
          'Its contacts stay. A segment that a draft, an active campaign, an automation or another segment uses is not deleted, unless `force` is true: a campaign with its `segmentId` then keeps its filter, other filters that name it are no longer valid.',
        access: 'contacts:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ params, query: given }, tx) => {
        await requireUnused(tx, 'segment', params.segmentId, given);
        return deleted(params.segmentId, await removeSegment(tx, params.segmentId));
      },
    ),
  ];
}
