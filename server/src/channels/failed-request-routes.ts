import { type Static, Type } from 'typebox';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { readerOf } from '../http/permissions.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { requireChannel } from './channel.ts';
import { exampleChannel } from './example.ts';
import {
  failedRequestFields,
  failedRequestFieldsFor,
  failedRequestSource,
  presentFailedRequest,
  removeRequest,
  replayRequest,
} from './failed-requests.ts';
import { FailedRequest } from './schema.ts';

const example: Static<typeof FailedRequest> = {
  id: '019a82a0-0000-7000-8000-000000000021',
  error: 'SyntaxError: Unexpected token < in JSON at position 0',
  attempts: 5,
  receivedAt: '2026-11-15T01:02:03.456Z',
  size: 6,
  body: '<xml/>',
  encoding: 'text',
};

const failedRequests = routeFamily({
  tag: 'Channels',
  params: Type.Object({ channelId: Type.String(), requestId: Type.String() }),
  exampleParams: { channelId: exampleChannel.id, requestId: example.id },
});

/** Routes for vendors' requests that could not be processed. */
export function failedRequestRoutes(): Route[] {
  return [
    searchRoute({
      path: '/v3/channels/:channelId/failed_requests/search',
      operationId: 'searchFailedRequests',
      tag: 'Channels',
      noun: "vendors' requests to a channel that could not be processed",
      access: 'channels:read',
      params: Type.Object({ channelId: Type.String() }),
      searchable: failedRequestFields,
      searchableOf: (_db, canRead) => failedRequestFieldsFor(canRead),
      source: async (db, params) => {
        const channel = await requireChannel(db, params.channelId as string);
        return failedRequestSource(channel.id);
      },
      schema: FailedRequest,
      present: presentFailedRequest,
      failures: ['channel_not_found'],
      example: {
        params: { channelId: exampleChannel.id },
        query: 'gt(receivedAt,"2026-11-15T00:00:00Z")',
        item: example,
      },
    }),
    failedRequests.write(
      {
        method: 'POST',
        path: '/v3/channels/:channelId/failed_requests/:requestId/replay',
        operationId: 'replayFailedRequest',
        summary: "Process a vendor's request again",
        description:
          'Queues the request with all its attempts, for example after an update of the server. What it had already changed is not changed twice.',
        access: 'channels:write',
        answer: data(FailedRequest),
        failures: ['failed_request_not_found'],
        example: { answer: { ...example, error: null, attempts: 0 } },
      },
      ({ principal, params }, tx) =>
        replayRequest(tx, params.channelId, params.requestId, readerOf(principal)),
    ),
    failedRequests.write(
      {
        method: 'DELETE',
        path: '/v3/channels/:channelId/failed_requests/:requestId',
        operationId: 'deleteFailedRequest',
        summary: "Delete a vendor's request that could not be processed",
        description: 'Its content is lost. A request that is being processed again is not found.',
        access: 'channels:write',
        answer: data(DeleteResult),
        failures: [],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ params }, tx) =>
        deleted(params.requestId, await removeRequest(tx, params.channelId, params.requestId)),
    ),
  ];
}
