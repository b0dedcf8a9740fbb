import { expect, it } from 'vitest';
import { automationFields } from '../../src/automations/automation.ts';
import { readAutomationPage } from '../../src/automations/page.ts';
import { parseSearchRequest } from '../../src/search/request.ts';
import { automationOf } from '../kit/automations.ts';
import { expectShortGaps, useHeartbeat } from '../kit/heartbeat.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const COUNT = 100;
const STEPS = 190;

it('I1: a page of a hundred large definitions is read one by one', async () => {
  const tenant = await server.tenant();
  // Nothing takes longer to parse than many small values.
  const cases = Array.from({ length: 16 }, () => ({ when: 'isNull(contact.email)', next: '0' }));
  const steps = Array.from({ length: STEPS }, (_, index) => ({
    id: `${index}`,
    type: 'branch',
    parameters: { cases },
  }));
  const id = await automationOf(
    tenant,
    { steps: [...steps, { id: 'end', type: 'end', parameters: {} }] },
    { published: false },
  );
  // To save each of them by the API would take most of the time.
  await server.system.db.query(
    `with copies as (select gen_random_uuid() as id, gen_random_uuid() as version_id from generate_series(2, ${COUNT})),
     versions as (
       insert into automation_versions
       select (jsonb_populate_record(v, jsonb_build_object('id', c.version_id, 'automation_id', c.id))).*
         from automation_versions v, copies c where v.automation_id = $1)
     insert into automations
     select (jsonb_populate_record(a, jsonb_build_object('id', c.id, 'latest_version_id', c.version_id))).*
       from automations a, copies c where a.id = $1`,
    [id],
  );
  const db = server.system.db.forTenant(tenant.id);
  const request = parseSearchRequest({ pagination: { limit: COUNT } }, automationFields, db.now);
  const read = async () => (await readAutomationPage(db, request))?.data;
  const text = JSON.stringify(await read());
  // How long this machine needs to parse all of them at once.
  const atOnce = useHeartbeat();
  expect(JSON.parse(text)).toHaveLength(COUNT);
  const half = atOnce.longestGapMs() / 2;
  // Not by HTTP: the test parses the response at once.
  await expectShortGaps(half, async () => {
    const page = await read();
    expect(page).toHaveLength(COUNT);
    expect(page?.at(-1)?.latestVersion.steps).toHaveLength(STEPS + 1);
  });
});
