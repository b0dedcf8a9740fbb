import { type Static, Type } from 'typebox';
import { csv, data } from '../http/answer.ts';
import { csvLine } from '../http/csv.ts';
import type { Download } from '../http/download.ts';
import { type Route, read } from '../http/route.ts';
import { QUARTER_MS } from './marks.ts';
import { readReport } from './read-report.ts';
import { type Figure, ReportBody, ReportRow, reports } from './schema.ts';

const exampleBody: ReportBody = {
  name: 'volumes',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-12-01T00:00:00.000Z',
  interval: 'day',
  groupBy: 'channel',
};
const exampleRow: ReportRow = {
  at: '2026-11-15T00:00:00.000Z',
  group: { id: '019a82a0-0000-7000-8000-000000000010', name: 'Shop' },
  received: 120,
  sent: 96,
  failed: 1,
  opened: 14,
  reopened: 3,
  closed: 15,
};

/** The same in the address of a file, of which nothing must be given. */
const ReportQuery = Type.Partial(Type.Object(ReportBody.properties));
const DEFAULT_MS = 30 * 24 * 3600_000;

function completeQuery(
  { name = 'volumes', from, to, ...rest }: Static<typeof ReportQuery>,
  now: Date,
): ReportBody {
  const end = to ?? new Date(Math.ceil(now.getTime() / QUARTER_MS) * QUARTER_MS).toISOString();
  const endMs = Date.parse(end);
  return { name, from: from ?? new Date(endMs - DEFAULT_MS).toISOString(), to: end, ...rest };
}

const COLUMNS = ['at', 'groupId', 'group'];

async function* linesOf(name: ReportBody['name'], rows: readonly ReportRow[]): AsyncGenerator<string> {
  const figures = Object.keys(reports[name].figures) as Figure[];
  yield csvLine([...COLUMNS, ...figures]);
  for (const row of rows)
    yield csvLine([
      row.at,
      row.group?.id ?? null,
      row.group?.name ?? null,
      ...figures.map((figure) => row[figure]?.toString() ?? null),
    ]);
}

const MEANING =
  'Days, weeks and months begin in the time zone of the tenant, or in `timezone`. The current hour is included; of more than 50,000 messages, runs or changes of chats in the last hours only those of the last quarters of an hour are counted at once, and the others after each quarter. What changes later, such as a message that is read the next day, is counted within minutes. Users who are restricted to teams get the figures of their channels.';

const FILTERS = Object.entries(reports)
  .map(([name, { filters }]) => `${filters.join(', ')} (\`${name}\`)`)
  .join('; ');

export function reportRoutes(): Route[] {
  return [
    read(
      {
        method: 'POST',
        path: '/v3/reports/search',
        operationId: 'searchReports',
        tag: 'Reports',
        summary: 'Count what happened',
        description: `Returns the figures of a period: messages and chats (\`volumes\`), how long contacts waited for people (\`response_times\`), what users did (\`agents\`), what became of campaigns (\`campaigns\`) and of runs (\`automations\`). ${MEANING} Fields to filter by: ${FILTERS}. Without \`groupBy\` every interval has a row; with it, those in which something was counted. At most 1,000 intervals.`,
        access: 'reports:read',
        body: ReportBody,
        answer: data(Type.Array(ReportRow)),
        failures: ['search_too_slow'],
        example: { body: exampleBody, answer: [exampleRow] },
      },
      ({ principal, body }, db) => readReport(db, body, principal),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/reports/export.csv',
        operationId: 'exportReport',
        tag: 'Reports',
        summary: 'Download a report',
        description: `Returns the rows of a report as a CSV file; of \`volumes\` and the last 30 days unless others are given. ${MEANING} A text that a spreadsheet could read as a formula is preceded by an apostrophe.`,
        access: 'reports:read',
        query: ReportQuery,
        answer: csv,
        failures: ['search_too_slow'],
        example: { answer: `${COLUMNS.join(',')}\r\n` },
      },
      async ({ principal, query }, db): Promise<Download> => {
        const body = completeQuery(query, db.now);
        return {
          filename: `${body.name}.csv`,
          pieces: linesOf(body.name, await readReport(db, body, principal)),
        };
      },
    ),
  ];
}
