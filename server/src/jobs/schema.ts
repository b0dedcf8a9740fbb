import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { Author } from '../users/author.ts';
import { JobAction } from './actions.ts';

const removalKinds = ['delete_tenant', 'delete_channel', 'delete_contact', 'merge_contacts'] as const;
/** Jobs that delete or move what belongs to one tenant, channel or contact. */
export type RemovalKind = (typeof removalKinds)[number];

const bulkKinds = ['change_chats', 'change_contacts', 'change_runs'] as const;
/** Jobs that do the same to many chats, contacts or runs of automations. */
export type BulkKind = (typeof bulkKinds)[number];

/** Other jobs that callers ask for. */
const requestedKinds = ['import_contacts', 'retry_deliveries'] as const;
export type RequestedKind = (typeof requestedKinds)[number];

/**
 * `wake_runs`: after a change of business hours or quiet hours, lets the runs that wait by them look at them again; after a limit of no
 * runs per minute was raised, lets the runs that it has held start.
 */
export const jobKinds = [...removalKinds, ...bulkKinds, ...requestedKinds, 'wake_runs'] as const;
export type JobKind = (typeof jobKinds)[number];
export const isRemovalKind = (kind: JobKind): kind is RemovalKind =>
  removalKinds.includes(kind as RemovalKind);
export const isBulkKind = (kind: JobKind): kind is BulkKind => bulkKinds.includes(kind as BulkKind);
export const isRequestedKind = (kind: JobKind): kind is RequestedKind =>
  requestedKinds.includes(kind as RequestedKind);

export const jobStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

export const Job = Type.Object(
  {
    id: Uuid(),
    kind: OneOf(jobKinds),
    status: OneOf(
      jobStatuses,
      '`failed`: the action became impossible, for example because its label was deleted. Items that failed alone do not fail the job',
    ),
    action: Nullable({ ...JobAction, description: 'What a bulk action does; null for other jobs' }),
    author: Nullable({
      ...Author,
      description: 'Who asked for it; null for deletions and merges, and for `wake_runs`',
    }),
    done: Type.Integer({ description: 'How many items are done' }),
    total: Nullable(Type.Integer({ description: 'How many items there are; null until they are counted' })),
    failed: Type.Integer({ description: 'How many items could not be done' }),
    errors: Type.Array(Type.String(), { description: 'The first reasons why items failed' }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    endedAt: Nullable(Timestamp()),
  },
  { title: 'Job' },
);
export type Job = Static<typeof Job>;

const { id: jobId, ...state } = Job.properties;
/** The answer of an operation that starts a job: the job at its start. */
export const StartedJob = Type.Object({ jobId, ...state }, { title: 'StartedJob' });
export type StartedJob = Static<typeof StartedJob>;
export const presentStarted = ({ id, ...state }: Job): StartedJob => ({ jobId: id, ...state });

export const exampleJob: Job = {
  id: '019a82a0-0000-7000-8000-0000000000e0',
  kind: 'change_chats',
  status: 'running',
  action: { type: 'status', status: 'closed' },
  author: { type: 'user', id: '019a82a0-0000-7000-8000-000000000060', name: 'Grace Hopper' },
  done: 400,
  total: 2100,
  failed: 0,
  errors: [],
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:04.456Z',
  endedAt: null,
};
