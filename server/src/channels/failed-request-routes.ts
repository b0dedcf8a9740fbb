import { type Static, Type } from 'typebox';
import type { Database } from '../db/database.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { DeleteResult, data, deleted, type Route, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { requireChannel } from './channel.ts';
import {
  failedRequestFields,
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
const channelId = '019a82a0-0000-7000-8000-000000000020';
const RequestId = Type.Object({ channelId: Type.String(), requestId: Type.String() });
const at = { params: { channelId, requestId: example.id } };

/** What vendors sent and nobody could make sense of. */
export function failedRequestRoutes({ db, wakeUps }: { db: Database; wakeUps: WakeUps }): Route[] {
  return [
    searchRoute(db, {
      path: '/v3/channels/:channelId/failed_requests/search',
      operationId: 'searchFailedRequests',
      tag: 'Channels',
      noun: "vendors' requests to a channel that could not be processed",
      access: 'channels:read',
      params: Type.Object({ channelId: Type.String() }),
      searchable: failedRequestFields,
      source: async ({ tenantId }, params) => {
        const channel = await requireChannel(db.byKey, tenantId, params.channelId as string);
        return failedRequestSource(channel.id);
      },
      schema: FailedRequest,
      present: presentFailedRequest,
      failures: ['channel_not_found'],
      example: { params: { channelId }, query: 'gt(receivedAt,"2026-11-15T00:00:00Z")', item: example },
    }),
    write(
      {
        method: 'POST',
        path: '/v3/channels/:channelId/failed_requests/:requestId/replay',
        operationId: 'replayFailedRequest',
        tag: 'Channels',
        summary: "Process a vendor's request again",
        description:
          'At once and with all its tries, for example after an update of the server. What it had done already is not done twice.',
        access: 'channels:write',
        params: RequestId,
        answer: data(FailedRequest),
        failures: ['failed_request_not_found'],
        example: { ...at, answer: { ...example, error: null, attempts: 0 } },
      },
      ({ principal, params }, tx) =>
        replayRequest(tx, principal.tenantId, params.channelId, params.requestId, wakeUps),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/channels/:channelId/failed_requests/:requestId',
        operationId: 'deleteFailedRequest',
        tag: 'Channels',
        summary: "Delete a vendor's request that could not be processed",
        description: 'What it said is lost. One that is being processed again is not found.',
        access: 'channels:write',
        params: RequestId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [example.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(
          params.requestId,
          await removeRequest(tx, principal.tenantId, params.channelId, params.requestId),
        ),
    ),
  ];
}
