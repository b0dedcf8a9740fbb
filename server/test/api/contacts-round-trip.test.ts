import { expect, it } from 'vitest';
import { importFile } from '../kit/imports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const LABELS = [
  'VIP',
  'Smith, Ada',
  'a;b',
  'say "hi"',
  '"quoted"',
  '=1+1',
  "'=1",
  ' blanks ',
  '日本語、',
  '\u202ertl',
  '👩🏽‍🚀, 🚀',
];
const VALUES = ['a, b; "c"', "=HYPERLINK('x')", 'two\r\nlines', "'", '🚀,', "rock 'n' roll;-5"];

const dataOf = async (answer: ReturnType<TestTenant['post']>) => {
  const { status, body } = await answer;
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
};
const shownOf = async (tenant: TestTenant) =>
  (await dataOf(tenant.post('/v3/contacts/search', { sortBy: 'asc(firstName)' }))).map(
    ({
      firstName,
      labels,
      attributes,
    }: {
      firstName: string;
      labels: { name: string }[];
      attributes: { value: string }[];
    }) => [firstName, labels.map(({ name }) => name).toSorted(), attributes.map(({ value }) => value)],
  );

async function prepare(): Promise<{ tenant: TestTenant; labelIds: string[] }> {
  const tenant = await server.tenant();
  await dataOf(tenant.post('/v3/attributes', { name: 'Note', externalId: 'note' }));
  const labelIds: string[] = [];
  for (const name of LABELS) labelIds.push((await dataOf(tenant.post('/v3/labels', { name }))).id);
  return { tenant, labelIds };
}

it('contacts have the same labels and attributes after an export and an import into another tenant', async () => {
  const { tenant, labelIds } = await prepare();
  for (const [index, note] of VALUES.entries()) {
    const { id } = await dataOf(
      tenant.post('/v3/contacts', {
        phoneNumber: `+1555000200${index}`,
        firstName: `N${index}`,
        attributes: [{ externalId: 'note', value: note }],
      }),
    );
    // All, all but the first, and so on.
    await dataOf(
      tenant.post(`/v3/contacts/${id}/labels`, {
        labels: labelIds.slice(index * 2).map((labelId) => ({ id: labelId })),
      }),
    );
  }
  const before = await shownOf(tenant);
  expect(before[0][1]).toHaveLength(LABELS.length);
  const file = (await tenant.get('/v3/contacts/export.csv')).text;
  const { tenant: other } = await prepare();
  const done = await importFile(server, other, file);
  expect([done.created, done.failed, done.issues]).toEqual([VALUES.length, 0, []]);
  expect(await shownOf(other)).toEqual(before);
  const again = await importFile(server, tenant, file, { onExisting: 'update' });
  expect([again.created, again.failed]).toEqual([0, 0]);
  expect(await shownOf(tenant)).toEqual(before);
});
