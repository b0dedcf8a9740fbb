import { type Attribute, type ExaminedImport, getImport, type Import } from '@parley/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import { client, useRead } from '../../api/api.ts';
import { basePath } from '../../api/client.ts';
import { useWorkspace } from '../../api/session.tsx';
import { addPatch } from '../../live/patches.ts';

export const IMPORTS_KEY = ['imports'];

/** Progress has no events: it is asked for while it is shown. */
const EVERY_MS = 1_000;

export const isRunning = ({ status }: Import): boolean => status === 'queued' || status === 'running';

export const useImport = (importId: string): UseQueryResult<Import> =>
  useRead([...IMPORTS_KEY, 'one', importId], (signal) => getImport(client, { path: { importId }, signal }), {
    everyMs: (data) => (data !== undefined && !isRunning(data as Import) ? false : EVERY_MS),
  });

addPatch(['job.completed'], (event, cache) => {
  if (event.type === 'job.completed' && event.data.kind === 'import_contacts')
    void cache.invalidateQueries({ queryKey: IMPORTS_KEY });
});

/** Where the rows that were left out are downloaded. */
export function useErrorsPath(): (importId: string) => string {
  const { tenantId } = useWorkspace().membership;
  return (importId) => `${basePath}/v3/imports/${importId}/errors.csv?tenantId=${tenantId}`;
}

/** What a column can become, besides attributes. */
export const CONTACT_FIELDS = [
  'phoneNumber',
  'email',
  'fullName',
  'firstName',
  'lastName',
  'language',
  'timezone',
  'isSubscribed',
  'labels',
] as const;

/** What a column becomes; null: it is not imported. */
export type Field = string | null;

export const attributeField = ({ externalId }: Attribute): string => `attributes.${externalId}`;

/** What a field cannot stand beside: the same one, and a whole name beside its parts. */
function excludes(field: string, other: Field): boolean {
  const parts: readonly Field[] = ['firstName', 'lastName'];
  return (
    field === other ||
    (field === 'fullName' && parts.includes(other)) ||
    (parts.includes(field) && other === 'fullName')
  );
}

/** The fields after somebody has chosen one: each is used once. */
export const chooseField = (fields: readonly Field[], index: number, chosen: Field): Field[] =>
  fields.map((field, position) => {
    if (position === index) return chosen;
    return chosen !== null && excludes(chosen, field) ? null : field;
  });

type Columns = ExaminedImport['columns'];

/** Whether the name of a column says which one is meant. */
export const isUnique = (columns: Columns, index: number): boolean =>
  columns.filter(({ name }) => name === columns[index]?.name).length === 1;

/** What the server guesses, as far as it can be used: a whole name gives way to its parts. */
export function firstFields(columns: Columns): Field[] {
  const hasParts = columns.some(({ field }) => field === 'firstName' || field === 'lastName');
  return columns.map(({ field }, index) =>
    isUnique(columns, index) && !(field === 'fullName' && hasParts) ? field : null,
  );
}

/** A phone number without a country code among the first ones. Spreadsheets write ="0170 1" and '+49 1 as well. */
export const findLocalNumber = (columns: Columns, fields: readonly Field[]): string | undefined =>
  columns[fields.indexOf('phoneNumber')]?.samples.find(
    (sample) => /^\D*\d/.test(sample) && !/^[='"\s]*\+/.test(sample),
  );
