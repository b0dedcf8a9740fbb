import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { useProgram } from '../kit/program.ts';

const parley = await useProgram();
const HAS_V2_ENDED = Date.now() >= Date.parse('2026-11-02T00:00:00Z');

it('prints how to try it, and the three curl lines work when pasted', async () => {
  const printed = parley.output();
  for (const line of [
    parley.url,
    `${parley.url}/docs`,
    'Data folder',
    `API v2       ${HAS_V2_ENDED ? 'ended on' : 'deprecated, served until'} 1 November 2026`,
  ])
    expect(printed).toContain(line);
  const lines = printed.split('\n');
  const token = lines.find((line) => line.startsWith('TOKEN='));
  const curls = lines.filter((line) => line.startsWith('curl '));
  expect(token).toBeDefined();
  expect(curls).toHaveLength(3);
  for (const curl of curls) {
    const { stdout } = await promisify(execFile)('bash', ['-c', `${token}\n${curl} --silent --show-error`]);
    expect(JSON.parse(stdout), curl).toMatchObject({ success: true });
  }
});

it('answers that v2 has ended', async () => {
  const ended = await useProgram({ PARLEY_V2_SUNSET: '2020-01-01' });
  const response = await fetch(`${ended.url}/v2/attributes`);
  expect(response.status).toBe(410);
  expect(await response.json()).toMatchObject({ error: { messageKey: 'api_version_sunset' } });
});

it('shows the operator the state of its queues', async () => {
  const text = await (await fetch(`${parley.url}/metrics`)).text();
  for (const list of ['inbound', 'events', 'deliveries'])
    for (const metric of ['parley_queue_due', 'parley_queue_oldest_seconds', 'parley_queue_failures_total'])
      expect(text).toContain(`${metric}{queue="${list}"}`);
});
