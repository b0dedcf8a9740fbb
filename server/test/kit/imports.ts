import { form } from './files.ts';
import type { Answer, TestServer, TestTenant } from './server.ts';

/** Uploads a private file and returns its id. */
export async function uploadTable(
  tenant: Pick<TestTenant, 'call'>,
  content: string | Buffer,
  filename = 'customers.csv',
): Promise<string> {
  const body = form({ name: 'isPrivate', content: 'true' }, { content, filename, type: 'text/csv' });
  const answer = await tenant.call('POST', '/v3/files', body);
  return answer.body.data.id;
}

/** What the columns of a file probably are. */
async function guessMapping(
  tenant: Pick<TestTenant, 'post'>,
  fileId: string,
): Promise<Record<string, string>> {
  const { columns } = (await tenant.post('/v3/imports/examine', { fileId })).body.data;
  return Object.fromEntries(
    columns.flatMap(({ name, field }: { name: string; field: string | null }) =>
      field === null ? [] : [[name, field]],
    ),
  );
}

/** Uploads a file and starts its import, by default with the columns that the server guesses. */
export async function startImport(
  tenant: TestTenant,
  content: string | Buffer,
  options: { mapping?: Record<string, string>; [option: string]: unknown } = {},
): Promise<Answer> {
  const fileId = await uploadTable(tenant, content);
  const mapping = options.mapping ?? (await guessMapping(tenant, fileId));
  return tenant.post('/v3/imports', { fileId, mapping, ...options });
}

/** Does everything that is due until an import has ended, and returns it. */
export async function endOfImport(server: TestServer, tenant: TestTenant, started: Answer) {
  for (;;) {
    await server.settle();
    const { data } = (await tenant.get(`/v3/imports/${started.body.data.id}`)).body;
    if (data.endedAt !== null) return data;
  }
}

/** Imports a file to its end and returns the import. */
export async function importFile(
  server: TestServer,
  tenant: TestTenant,
  content: string | Buffer,
  options: Parameters<typeof startImport>[2] = {},
) {
  const started = await startImport(tenant, content, options);
  if (started.status !== 200) throw new Error(started.text);
  return endOfImport(server, tenant, started);
}

/** The first hundred contacts by their first names. */
export const contactsByName = async (tenant: TestTenant, query?: string) =>
  (
    await tenant.post('/v3/contacts/search', {
      ...(query === undefined ? {} : { query }),
      sortBy: 'asc(firstName)',
      pagination: { limit: 100 },
    })
  ).body.data;
