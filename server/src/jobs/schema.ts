import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';

const jobKinds = ['delete_tenant', 'delete_channel', 'delete_contact', 'merge_contacts'] as const;
export type JobKind = (typeof jobKinds)[number];

const jobStatuses = ['queued', 'running', 'completed', 'failed'] as const;

export const Job = Type.Object(
  {
    id: Uuid(),
    kind: OneOf(jobKinds),
    status: OneOf(jobStatuses),
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

export const exampleJob: Job = {
  id: '019a82a0-0000-7000-8000-0000000000e0',
  kind: 'delete_contact',
  status: 'running',
  done: 4000,
  total: 210_000,
  failed: 0,
  errors: [],
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:04.456Z',
  endedAt: null,
};
