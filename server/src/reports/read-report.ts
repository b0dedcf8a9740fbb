import { type ApiError, invalidParam } from '../base/errors.ts';
import { groupBy } from '../base/group-by.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantQueryable } from '../db/tenant.ts';
import { meOf, type Principal } from '../http/permissions.ts';
import type { Bind, Searchable } from '../search/fields.ts';
import { type Filter, listFields } from '../search/grammar/filter.ts';
import { parseSearchRequest } from '../search/request.ts';
import { compileRowFilter } from '../search/sql/row-filter.ts';
import { addDurations, averageOf, emptyHistogram, type Histogram, quantileOf } from './histogram.ts';
import { HOUR_MS, QUARTER_MS } from './marks.ts';
import { nameGroups } from './name-groups.ts';
import { dividePeriod, type Periods } from './periods.ts';
import { type Figure, type Grouping, type ReportBody, type ReportRow, reports } from './schema.ts';
import { MAX_COUNTED, NOBODY, type StoredFigure, sources } from './sources.ts';

const authors = ['contact', 'user', 'automation', 'campaign', 'api'] as const;
const SUBJECT = { type: 'uuid', sql: `nullif(r.subject_id, '${NOBODY}')`, nullable: true } as const;

/** What the figures of a report can be filtered by. */
const reportFields: Searchable = {
  fields: {
    channelId: { type: 'uuid', sql: `nullif(r.channel_id, '${NOBODY}')`, nullable: true },
    teamIds: {
      type: 'list',
      sql: 'array(select tc.team_id from team_channels tc where tc.channel_id = r.channel_id)',
    },
    authorType: { type: 'enum', sql: 'r.detail', values: authors },
    userId: SUBJECT,
    campaignId: SUBJECT,
    automationId: SUBJECT,
  },
  names: [],
  id: 'r.channel_id',
};

/** Hours from so long ago on are counted when they are asked for, if they have not been counted yet. */
const LIVE_MS = 3 * HOUR_MS;
/** So many different groups and intervals, each with its buckets, take a few hundred milliseconds to add up. */
const MAX_ROWS = 200_000;
const MAX_ANSWERED = 20_000;

const readZone = statement<[], { timezone: string }>(
  'reports.timezone',
  'select timezone from visible_tenants where id = $tenant',
);
const firstUncounted = statement<[since: Date], { at: Date | null }>(
  'report_marks.first_since',
  'select min(from_at) as at from report_marks where tenant_id = $tenant and from_at >= $1',
);

/** SQL for the time of the row before the last `MAX_COUNTED`, since a time. */
const beforeLast = (table: string, column: string, condition = ''): string =>
  `(select x.${column} from ${table} x where x.tenant_id = $tenant and x.${column} >= $1 ${condition}
     order by x.${column} desc offset ${MAX_COUNTED} limit 1)`;
const lastUncountable = statement<[since: Date], { at: Date | null }>(
  'reports.last_uncountable',
  `select greatest(
     ${beforeLast('visible_messages', 'created_at')},
     ${beforeLast('visible_messages', 'timestamp', 'and x.scheduled_at is not null')},
     ${beforeLast('chat_changes', 'at')},
     ${beforeLast('visible_automation_runs', 'created_at')}) as at`,
);

/**
 * From when on figures are counted for an answer: since the first hour that is not counted yet, but not more rows than one
 * statement may count. Before that the stored figures must do: those of an hour with many events are stored after each quarter.
 */
async function findLiveStart(reader: TenantQueryable): Promise<Date> {
  const recent = new Date(reader.now.getTime() - LIVE_MS);
  const currentHour = Math.floor(reader.now.getTime() / HOUR_MS) * HOUR_MS;
  const uncounted = (await reader.find(firstUncounted, [recent]))?.at?.getTime() ?? currentHour;
  const since = new Date(Math.min(uncounted, currentHour));
  const tooFar = (await reader.find(lastUncountable, [since]))?.at;
  return tooFar ? new Date((Math.floor(tooFar.getTime() / QUARTER_MS) + 1) * QUARTER_MS) : since;
}

/** What the database adds up: one figure of one interval and group, durations by bucket. */
interface SummedRow {
  number: number;
  figure: StoredFigure;
  key: string | null;
  bucket: string;
  count: number;
  total: number;
}

/** SQL for the group of a row. */
const groupKeys: Readonly<Record<Grouping, string>> = {
  channel: `nullif(r.channel_id, '${NOBODY}')::text`,
  author: 'r.detail',
  user: `nullif(r.subject_id, '${NOBODY}')::text`,
  campaign: `nullif(r.subject_id, '${NOBODY}')::text`,
  automation: `nullif(r.subject_id, '${NOBODY}')::text`,
};

/** The stored figures that a report is made of. By author, only messages are counted: a chat has none. */
function storedFigures({ name, groupBy: grouping }: ReportBody): StoredFigure[] {
  const origins = Object.values(reports[name].figures);
  const all = new Set(origins.flatMap((one) => ('counts' in one ? one.counts : [one.durations])));
  return [...all].filter(
    (figure) => grouping !== 'author' || sources.messages.figures.some((one) => one === figure),
  );
}

/** The figures as they were stored, and those of hours that are not counted yet. */
function figuresSql(
  bind: Bind,
  tenantId: string,
  { from, to }: Periods,
  liveFrom: Date,
  figures: StoredFigure[],
): string {
  const tenant = `${bind(tenantId)}::uuid`;
  const wanted = `${bind(figures)}::text[]`;
  const [begin, end] = [from, to].map((time) => `${bind(time)}::timestamptz`) as [string, string];
  const live = `${bind(liveFrom)}::timestamptz`;
  const columns = 'figure, at, channel_id, subject_id, detail, count, total';
  const stored = `select ${columns} from report_figures
    where tenant_id = ${tenant} and figure = any (${wanted}) and at >= ${begin} and at < least(${end}, ${live})`;
  if (liveFrom >= to) return stored;
  const counted = Object.values(sources)
    .filter((source) => source.figures.some((figure) => figures.includes(figure)))
    .map(
      ({ sql }) =>
        `select ${columns} from (${sql({ tenant, from: `greatest(${begin}, ${live})`, to: end })}) live where figure = any (${wanted})`,
    );
  return [stored, ...counted].join(' union all ');
}

async function sumFigures(
  reader: TenantQueryable,
  body: ReportBody,
  periods: Periods,
  filter: Filter | undefined,
  { channelIds }: Principal,
): Promise<SummedRow[]> {
  const liveFrom = await findLiveStart(reader);
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { groupBy: grouping, name } = body;
  const figures = storedFigures(body);
  const conditions = [
    ...(channelIds ? [`r.channel_id = any (${bind([...channelIds])}::uuid[])`] : []),
    ...(reports[name].hasSubject ? [`r.subject_id <> '${NOBODY}'`] : []),
    ...(filter ? [compileRowFilter(filter, reportFields, bind)] : []),
  ];
  const isDuration = `r.figure = any (${bind([...sources.responses.figures])}::text[])`;
  const text = `select width_bucket(r.at, ${bind(periods.starts)}::timestamptz[]) as number, r.figure,
            ${grouping ? groupKeys[grouping] : 'null::text'} as key, case when ${isDuration} then r.detail else '' end as bucket,
            sum(r.count)::float8 as count, sum(r.total)::float8 as total
       from (${figuresSql(bind, reader.tenantId, periods, liveFrom, figures)}) r
      ${conditions.length > 0 ? `where ${conditions.map((one) => `(${one})`).join(' and ')}` : ''}
      group by 1, 2, 3, 4 limit ${MAX_ROWS + 1}`;
  const { rows } = await reader.query(text, values);
  if (rows.length > MAX_ROWS) throw tooMuch();
  return rows as unknown as SummedRow[];
}

const tooMuch = (): ApiError =>
  invalidParam(
    'groupBy',
    'custom',
    'The report would have too many rows; choose a longer interval, a shorter period or a filter',
  );

/** The figures of one interval and group. */
function figuresOf(
  name: ReportBody['name'],
  rows: readonly SummedRow[],
): Partial<Record<Figure, number | null>> {
  const counts = new Map<StoredFigure, number>();
  const durations = new Map<StoredFigure, Histogram>();
  for (const { figure, bucket, count, total } of rows) {
    counts.set(figure, (counts.get(figure) ?? 0) + count);
    if (bucket === '') continue;
    const histogram = durations.get(figure) ?? emptyHistogram();
    durations.set(figure, histogram);
    addDurations(histogram, Number(bucket), count, total);
  }
  return Object.fromEntries(
    Object.entries(reports[name].figures).map(([figure, origin]) => {
      if ('counts' in origin)
        return [figure, origin.counts.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0)];
      const histogram = durations.get(origin.durations) ?? emptyHistogram();
      if (figure.endsWith('AverageSeconds')) return [figure, averageOf(histogram)];
      return [figure, quantileOf(histogram, figure.endsWith('MedianSeconds') ? 0.5 : 0.9)];
    }),
  );
}

function requireGrouping({ name, groupBy: grouping }: ReportBody): void {
  const { groupings } = reports[name];
  if (grouping !== undefined && !groupings.includes(grouping))
    throw invalidParam('groupBy', 'custom', `The report ${name} can be grouped by ${groupings.join(' or ')}`);
}

/** The figures of a report have nothing else to be compared with: all of them would be zero. */
function requireFilters({ name }: ReportBody, filter: Filter | undefined): void {
  const filters: readonly string[] = reports[name].filters;
  const other = filter && listFields(filter).find((field) => !filters.includes(field));
  if (other !== undefined)
    throw invalidParam(
      'query',
      'custom',
      `The report ${name} cannot be filtered by ${other}, only by ${filters.join(', ')}`,
    );
}

/**
 * The rows of a report in the order of their times. Without groups every interval has one; with groups, those in which something
 * was counted.
 */
export async function readReport(
  db: TenantDatabase,
  body: ReportBody,
  principal: Principal,
): Promise<ReportRow[]> {
  requireGrouping(body);
  const { filter } = parseSearchRequest(
    body.query === undefined ? {} : { query: body.query },
    reportFields,
    db.now,
    meOf(principal),
  );
  requireFilters(body, filter);
  return db.search(async (reader) => {
    const zone = (await reader.find(readZone, []))?.timezone ?? 'UTC';
    const periods = dividePeriod(body, zone);
    const summed = await sumFigures(reader, body, periods, filter, principal);
    const at = (number: number): string => (periods.starts[number - 1] as Date).toISOString();
    if (body.groupBy === undefined) {
      const rows = groupBy(summed, ({ number }) => number);
      return periods.starts.map((start, index) => ({
        at: start.toISOString(),
        group: null,
        ...figuresOf(body.name, rows.get(index + 1) ?? []),
      })) as ReportRow[];
    }
    const groups = [...groupBy(summed, ({ number, key }) => `${number} ${key}`).values()];
    if (groups.length > MAX_ANSWERED) throw tooMuch();
    const names = await nameGroups(reader, body.groupBy, [
      ...new Set(summed.flatMap(({ key }) => key ?? [])),
    ]);
    return groups
      .map((rows) => {
        const { number, key } = rows[0] as SummedRow;
        const group = { id: key, name: (key !== null && names.get(key)) || null };
        return { at: at(number), group, ...figuresOf(body.name, rows) } as ReportRow;
      })
      .sort(
        (a, b) =>
          compare(a.at, b.at) ||
          compare(a.group?.name ?? '', b.group?.name ?? '') ||
          compare(a.group?.id ?? '', b.group?.id ?? ''),
      );
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
