import { Type } from 'typebox';
import { exampleChat } from '../chats/example.ts';
import { data } from '../http/answer.ts';
import { call, operatorRead, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { ChatAction, ContactAction, RunAction } from './actions.ts';
import { BulkBody, cancelJob, startBulk } from './bulk.ts';
import { JOB_COLUMNS, presentJob, requireAnyJob, requireJob } from './job.ts';
import { exampleJob, Job, jobKinds, jobStatuses, presentStarted, StartedJob } from './schema.ts';

const JobId = Type.Object({ jobId: Type.String() });
const example = { params: { jobId: exampleJob.id }, answer: exampleJob };
const queued: Job = { ...exampleJob, status: 'queued', done: 0 };

const jobFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'j.id' },
    kind: { type: 'enum', sql: 'j.kind', values: jobKinds },
    status: { type: 'enum', sql: 'j.status', values: jobStatuses },
    done: { type: 'number', sql: 'j.done' },
    total: { type: 'number', sql: 'j.total', nullable: true },
    failed: { type: 'number', sql: 'j.failed' },
    authorId: { type: 'uuid', sql: `(j.author->>'id')::uuid`, nullable: true },
    createdAt: { type: 'time', sql: 'j.created_at' },
    updatedAt: { type: 'time', sql: 'j.updated_at' },
    endedAt: { type: 'time', sql: 'j.ended_at', nullable: true },
  },
  names: ['j.kind'],
  id: 'j.id',
};
const jobSource: SearchSource = { select: JOB_COLUMNS, from: 'jobs j', tenantColumn: 'j.tenant_id' };

const CHOSEN =
  'What it is done to is chosen once, at the moment of the request: what matches later is not added, and one that no longer matches stays. Unknown ids count as failed. The job works in batches, and publishes the same events as the operation for one. At most 100,000 can match.';

export function jobRoutes(): Route[] {
  return [
    call(
      {
        method: 'POST',
        path: '/v3/chats/bulk',
        operationId: 'changeChats',
        tag: 'Chats',
        summary: 'Change many chats',
        description: `Assigns, opens, snoozes, closes or marks the chats that match \`query\`, or those with \`ids\`, or changes the labels of their contacts (which also needs \`contacts:write\`). ${CHOSEN}`,
        access: 'chats:write',
        body: BulkBody(ChatAction),
        answer: data(StartedJob),
        failures: ['limit_reached', 'search_too_slow'],
        example: {
          body: {
            query: 'and(eq(status,"open"),lt(updatedAt,now("-P30D")))',
            action: { type: 'status', status: 'closed' },
          },
          answer: presentStarted(queued),
        },
      },
      ({ principal, body }, db) => startBulk(db, 'change_chats', body, principal),
    ),
    call(
      {
        method: 'POST',
        path: '/v3/contacts/bulk',
        operationId: 'changeContacts',
        tag: 'Contacts',
        summary: 'Change many contacts',
        description: `Adds or removes labels, sets attributes, or erases the contacts that match \`query\`, or those with \`ids\`. To erase them also needs \`contacts:delete\`. ${CHOSEN}`,
        access: 'contacts:write',
        body: BulkBody(ContactAction),
        answer: data(StartedJob),
        failures: ['limit_reached', 'search_too_slow'],
        example: {
          body: {
            ids: [exampleChat.contactId],
            action: { type: 'add_label', labelId: '019a82a0-0000-7000-8000-000000000040' },
          },
          answer: presentStarted({
            ...queued,
            kind: 'change_contacts',
            action: { type: 'add_label', labelId: '019a82a0-0000-7000-8000-000000000040' },
            total: 1,
          }),
        },
      },
      ({ principal, body }, db) => startBulk(db, 'change_contacts', body, principal),
    ),
    call(
      {
        method: 'POST',
        path: '/v3/automation_runs/bulk',
        operationId: 'changeAutomationRuns',
        tag: 'Automation runs',
        feature: 'automations',
        summary: 'Cancel or retry many runs',
        description: `Cancels the runs that match \`query\`, or those with \`ids\`, or retries them from their failed step. Runs that cannot be cancelled or retried count as failed. ${CHOSEN}`,
        access: 'automations:write',
        body: BulkBody(RunAction),
        answer: data(StartedJob),
        failures: ['search_too_slow'],
        example: {
          body: { query: 'and(eq(status,"failed"),gt(createdAt,now("-P1D")))', action: 'retry' },
          answer: presentStarted({ ...queued, kind: 'change_runs', action: { type: 'retry' }, total: 12 }),
        },
      },
      ({ principal, body }, db) =>
        startBulk(db, 'change_runs', { ...body, action: { type: body.action } }, principal),
    ),
    searchRoute({
      path: '/v3/jobs/search',
      operationId: 'searchJobs',
      tag: 'Jobs',
      noun: 'jobs',
      access: 'token',
      searchable: jobFields,
      // Callers who are restricted to channels see what they asked for.
      source: async (_db, _params, { channelIds, caller }) => ({
        ...jobSource,
        ...(channelIds === undefined ? {} : { where: (bind) => `j.author->>'id' = ${bind(caller.id)}` }),
      }),
      schema: Job,
      present: presentJob,
      example: { query: 'eq(status,"running")', item: exampleJob },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/jobs/:jobId',
        operationId: 'getJob',
        tag: 'Jobs',
        summary: 'Get a job',
        description:
          'How far a piece of background work is: a bulk action, an import, repeated deliveries, the deletion of a large channel or contact, or the waking of many runs after a change of the hours. What is being deleted is hidden from the beginning; the job only frees its space. Users who are restricted to teams see the jobs that they asked for. Jobs are kept for 30 days after they have ended.',
        access: 'token',
        params: JobId,
        answer: data(Job),
        failures: ['job_not_found'],
        example,
      },
      ({ principal, params }, db) => requireJob(db.byKey, params.jobId, principal),
    ),
    write(
      {
        method: 'POST',
        path: '/v3/jobs/:jobId/cancel',
        operationId: 'cancelJob',
        tag: 'Jobs',
        summary: 'Cancel a job',
        description:
          'Ends a bulk action, an import or repeated deliveries before all is done. What is done stays done. Needs the scope that starting it needs. A job that has ended is not changed.',
        access: 'token',
        params: JobId,
        answer: data(Job),
        failures: ['job_not_found', 'conflict'],
        example: {
          ...example,
          answer: { ...exampleJob, status: 'cancelled', endedAt: exampleJob.updatedAt },
        },
      },
      ({ principal, params }, tx) => cancelJob(tx, params.jobId, principal),
    ),
    operatorRead(
      {
        method: 'GET',
        path: '/admin/jobs/:jobId',
        operationId: 'getAnyJob',
        tag: 'Operator',
        summary: 'Get a job of any tenant',
        description: 'Like `GET /v3/jobs/{jobId}`, also for the deletion of a tenant.',
        access: 'operator',
        params: JobId,
        answer: data(Job),
        failures: ['job_not_found'],
        example: {
          ...example,
          answer: { ...exampleJob, kind: 'delete_tenant', action: null, author: null },
        },
      },
      ({ params }, db) => requireAnyJob(db, params.jobId),
    ),
  ];
}
