import type { ExaminedImport, Import } from './schema.ts';

export const exampleImport: Import = {
  id: '019a82a0-0000-7000-8000-0000000000e1',
  fileId: '019a82a0-0000-7000-8000-000000000075',
  filename: 'customers.csv',
  status: 'running',
  dryRun: false,
  mapping: { Name: 'fullName', Phone: 'phoneNumber' },
  defaultCountry: 'DE',
  onExisting: 'update',
  labelIds: ['019a82a0-0000-7000-8000-000000000040'],
  publishEvents: true,
  triggerAutomations: false,
  encoding: 'utf-8',
  delimiter: ';',
  author: { type: 'user', id: '019a82a0-0000-7000-8000-000000000060', name: 'Grace Hopper' },
  total: 20_000,
  created: 3_980,
  updated: 18,
  skipped: 0,
  failed: 2,
  issues: [
    {
      row: 17,
      column: 'Phone',
      reason: 'DE has no number such as 017: check the number of digits',
    },
  ],
  error: null,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:04.456Z',
  endedAt: null,
};

export const exampleExamined: ExaminedImport = {
  encoding: 'utf-8',
  delimiter: ';',
  columns: [
    { name: 'Name', field: 'fullName', samples: ['Ada Lovelace', 'Grace Hopper'] },
    { name: 'Phone', field: 'phoneNumber', samples: ['0170 1234567', '+1 555 000 1111'] },
    { name: 'Notes', field: null, samples: [] },
  ],
  rows: [
    ['Ada Lovelace', '0170 1234567', ''],
    ['Grace Hopper', '+1 555 000 1111', ''],
  ],
};

export const exampleErrors =
  'row,reason,Name,Phone,Notes\r\n17,Phone: DE has no number such as 017: check the number of digits,Bob,017,\r\n';
