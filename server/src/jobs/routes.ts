import { Type } from 'typebox';
import { data, operatorRead, type Route, read } from '../http/route.ts';
import { requireAnyJob, requireJob } from './job.ts';
import { exampleJob, Job } from './schema.ts';

const JobId = Type.Object({ jobId: Type.String() });
const example = { params: { jobId: exampleJob.id }, answer: exampleJob };

export function jobRoutes(): Route[] {
  return [
    read(
      {
        method: 'GET',
        path: '/v3/jobs/:jobId',
        operationId: 'getJob',
        tag: 'Jobs',
        summary: 'Get a job',
        description:
          'How far a piece of background work is, such as the deletion of a large channel. What is being deleted is hidden from the beginning; the job only frees its space. Jobs are kept for 30 days after they have ended.',
        access: 'token',
        params: JobId,
        answer: data(Job),
        failures: ['job_not_found'],
        example,
      },
      ({ params }, db) => requireJob(db.byKey, params.jobId),
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
        example: { ...example, answer: { ...exampleJob, kind: 'delete_tenant' } },
      },
      ({ params }, db) => requireAnyJob(db, params.jobId),
    ),
  ];
}
