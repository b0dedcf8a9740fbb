import { expect, it, onTestFinished } from 'vitest';
import { correctTime } from '../../src/base/time.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const AHEAD_MS = 60_000;

it('I12: jobs have the time of the database where the clock of the machine is wrong', async () => {
  const tenant = await server.tenant();
  const contact = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data;
  const label = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data;
  correctTime(AHEAD_MS);
  onTestFinished(() => correctTime(0));
  const before = Date.now() + AHEAD_MS;
  await tenant.post('/v3/contacts/bulk', {
    ids: [contact.id],
    action: { type: 'add_label', labelId: label.id },
  });
  await server.settle();
  const [job] = (await tenant.post('/v3/jobs/search', {})).body.data;
  expect(job).toMatchObject({ status: 'completed' });
  for (const time of [job.createdAt, job.updatedAt, job.endedAt])
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
});
