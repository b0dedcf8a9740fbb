import { beforeEach, expect, it } from 'vitest';
import { startImport, uploadTable } from '../kit/imports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

it.each<[object, string]>([
  [{ mapping: { Nope: 'email', Phone: 'phoneNumber' } }, 'mapping.Nope'],
  [{ mapping: { Phone: 'phone' } }, 'mapping.Phone'],
  [{ mapping: { Phone: 'attributes.nope' } }, 'mapping.Phone'],
  [{ mapping: { Phone: 'phoneNumber', Name: 'metadata.' } }, 'mapping.Name'],
  [{ mapping: { Phone: 'phoneNumber', Name: 'metadata.__proto__' } }, 'mapping.Name'],
  [{ mapping: { Phone: 'phoneNumber', toString: 'email' } }, 'mapping.toString'],
  [{ mapping: JSON.parse('{"__proto__":"email","Phone":"phoneNumber"}') }, 'mapping.__proto__'],
  [{ mapping: { Phone: 'phoneNumber', Name: 'phoneNumber' } }, 'mapping.Name'],
  [{ mapping: { Phone: 1 } }, 'mapping.Phone'],
  [{ mapping: { Phone: null } }, 'mapping'],
  [{ mapping: { Name: 'fullName' } }, 'mapping'],
  [{ mapping: ['Phone'] }, 'mapping'],
  [{ columns: [{ name: 'Phone', field: 'phoneNumber' }] }, 'columns'],
  [{ isDryRun: true }, 'isDryRun'],
  [{ triggerAutomations: true, publishEvents: false }, 'triggerAutomations'],
  [{ defaultCountry: 'XX' }, 'defaultCountry'],
  [{ defaultCountry: 'germany' }, 'defaultCountry'],
  [{ labelIds: [UNKNOWN] }, 'labelIds.0'],
  [{ fileId: UNKNOWN }, 'fileId'],
  [{ onExisting: 'replace' }, 'onExisting'],
  [{ existing: 'update' }, 'existing'],
  [{ update: true }, 'update'],
])('an import is refused with the parameter that is wrong: %j', async (options, path) => {
  const answer = await startImport(tenant, 'Name,Phone\nAda,+15550001111\n', { ...options });
  expect(answer.status).toBe(400);
  expect(Object.keys(answer.body.error.invalidParams)).toEqual([path]);
  expect((await tenant.post('/v3/imports/search', {})).body.data).toEqual([]);
});

it('an import is refused without a mapping, and if a name in it is that of several columns', async () => {
  const fileId = await uploadTable(tenant, 'Phone,Name,Name\n+15550001111,Ada,Lovelace\n');
  const without = await tenant.post('/v3/imports', { fileId });
  expect([without.status, Object.keys(without.body.error.invalidParams)]).toEqual([400, ['mapping']]);
  const mapping = { Phone: 'phoneNumber', Name: 'fullName' };
  const several = await tenant.post('/v3/imports', { fileId, mapping });
  expect(several.body.error.invalidParams).toEqual({
    'mapping.Name': { key: 'custom', message: 'The file has several columns of this name' },
  });
  const others = await tenant.post('/v3/imports', { fileId, mapping: { Phone: 'phoneNumber', Name: null } });
  expect(others.status).toBe(200);
});
