import type { Bare, Case, Effort, Figure, Side, Workload } from './figure.ts';
import { type Measurement, measureInTurns, median, warmUp } from './measure.ts';
import { isCleaning } from './processes.ts';
import { formatCount, formatSpread, printTable } from './table.ts';

const DEFAULT_EFFORT: Effort = { rounds: 5, seconds: 3 };

const HEAD = [
  'figure',
  'bare ops/s',
  'ours ops/s',
  'ratio (range)',
  'bare CPU µs/op (server)',
  'ours CPU µs/op (server)',
  'CPU ratio (range)',
  '1/CPU ratio',
  'goal',
];
const VALUES_HEAD = ['figure', 'bare', 'ours', 'ratio (range)', 'goal'];

const NOTES = `Ratios are ours to bare, medians of the rounds' ratios, with the lowest and highest in parentheses. For throughput
more is better, for CPU less. CPU is the server's and PostgreSQL's, from the system's accounting, the server's part in
parentheses. Load generator, receiver, server and PostgreSQL share the machine, alike for both sides; 64 connections, one
request in flight on each.
The bare inbound program is driven in its own process, without HTTP in front, which is in its favour; the line below
it has the same program behind a bare Fastify route and the same load generator as ours.
Events for endpoints are written beforehand by a transaction that is committed when the clock starts: publishing them is
not measured; numbering, matching, sending and recording them is. The bare program signs and posts the same bytes and stores
nothing. Each event is for one endpoint; the thousand have different paths at one receiver and belong to ten tenants.
For the line of the retries, bare is the same server without them.
While WhatsApp texts are acknowledged, another process owns the channel's shard, as it would among several: they are stored
and nothing else. Runs that are triggered for tomorrow are recorded and nothing else; those for now are executed at the
same time on the same cores, which the bare route does not do. The lines of long chats send the same request to two chats
of this server: bare is the short one. A bare search is one statement on a connection of its own, without HTTP.`;

/** Figures that start their own servers and do not need the shared one. */
const OWN_SERVERS = new Set(['start', 'idle', 'two-processes']);

const ratios = (ours: number[], bare: number[]): number[] =>
  ours.map((one, round) => one / (bare[round] as number));

/** Microseconds per operation, with the server's part in parentheses. */
const formatCpu = (rounds: Measurement[]): string =>
  `${formatCount(median(rounds.map(({ cpu }) => cpu)))} (${formatCount(median(rounds.map(({ serverCpu }) => serverCpu)))})`;

function formatRow(
  title: string,
  goal: number | undefined,
  bare: Measurement[],
  ours: Measurement[],
): string[] {
  const rates = (rounds: Measurement[]): number[] => rounds.map(({ rate }) => rate);
  const rate = ratios(rates(ours), rates(bare));
  const cpu = ratios(
    ours.map((one) => one.cpu),
    bare.map((one) => one.cpu),
  );
  return [
    title,
    formatCount(median(rates(bare))),
    formatCount(median(rates(ours))),
    formatSpread(rate),
    formatCpu(bare),
    formatCpu(ours),
    formatSpread(cpu),
    (1 / median(cpu)).toFixed(2),
    goal === undefined ? '' : `≥ ${goal.toFixed(2)} ${median(rate) >= goal ? 'met' : 'missed'}`,
  ];
}

function formatValues(
  { values = {} }: Case,
  bare: Measurement[] | undefined,
  ours: Measurement[],
): string[][] {
  return Object.entries(values).map(([name, { title, unit = '', digits = 0, goal, bareGoal }]) => {
    const read = (rounds: Measurement[]): number[] => rounds.map((round) => round.values[name] as number);
    const format = (numbers: number[]): string => `${median(numbers).toFixed(digits)} ${unit}`.trimEnd();
    const ratio = bare === undefined ? [] : ratios(read(ours), read(bare));
    const measured = goal === undefined ? median(ratio) : median(read(ours));
    const wanted = goal ?? bareGoal;
    const limit = goal === undefined ? `${bareGoal} times` : `${goal} ${unit}`.trimEnd();
    return [
      title,
      bare === undefined ? '' : format(read(bare)),
      format(read(ours)),
      bare === undefined ? '' : formatSpread(ratio),
      wanted === undefined ? '' : `≤ ${limit} ${measured <= wanted ? 'met' : 'missed'}`,
    ];
  });
}

/** The rows of both tables. */
interface Compared {
  rows: string[][];
  values: string[][];
}

/** Measures a line of one side against bare programs. */
async function compareCase(
  one: Case,
  given: Partial<Effort>,
  vacuum: () => Promise<void>,
): Promise<Compared> {
  const counterparts: { bare: Bare; workload: Workload }[] = [];
  for (const bare of one.bares ?? []) counterparts.push({ bare, workload: await bare.create() });
  const workloads = [...counterparts.map(({ workload }) => workload), one.ours];
  const { rounds, seconds } = { ...DEFAULT_EFFORT, ...one.effort, ...given };
  let count = await warmUp(workloads, one, seconds);
  await vacuum();
  // The first warm-up creates contacts, connections and plans; the second one shows how fast the workloads are.
  if (one.warmUp > 0) count = await warmUp(workloads, one, seconds);
  const results = await measureInTurns(workloads, count, rounds);
  for (const { workload } of counterparts) await workload.stop?.();
  const ours = results.at(-1) as Measurement[];
  const rows = counterparts.map(({ bare: { title, goal } }, index) =>
    formatRow(title ?? one.title, goal, results[index] as Measurement[], ours),
  );
  const values = formatValues(one, counterparts.length === 0 ? undefined : results[0], ours);
  if (counterparts.length > 0 || one.hasRate === false) return { rows, values };
  const rate = Math.round(median(ours.map((round) => round.rate))).toLocaleString('en');
  return { rows, values: [[one.title, '', `${rate}/s`, '', ''], ...values] };
}

async function compareFigure(
  name: string,
  create: Figure,
  side: Side,
  effort: Partial<Effort>,
): Promise<Compared> {
  const vacuum = async (): Promise<void> => {
    if (!OWN_SERVERS.has(name)) await (await side.getTarget()).db.query('vacuum analyze');
  };
  const cases = await create(side);
  const compared: Compared = { rows: [], values: [] };
  try {
    for (const one of cases) {
      const { rows, values } = await compareCase(one, effort, vacuum);
      compared.rows.push(...rows);
      compared.values.push(...values);
    }
    return compared;
  } finally {
    for (const one of cases) await one.ours.stop?.();
  }
}

/**
 * Compares the working tree with bare programs and prints the tables: each figure as soon as it is measured, and all of
 * them at the end. Returns whether every figure could be measured.
 */
export async function compareWithBare(
  chosen: Record<string, Figure>,
  side: Side,
  effort: Partial<Effort>,
  moreValues: () => Promise<string[][]>,
): Promise<boolean> {
  const rows: string[][] = [];
  const values: string[][] = [];
  const failed: string[] = [];
  for (const [name, create] of Object.entries(chosen)) {
    process.stderr.write(` ${name} `);
    try {
      const compared = await compareFigure(name, create, side, effort);
      for (const row of [...compared.rows, ...compared.values])
        process.stderr.write(`\n  ${row.filter((cell) => cell !== '').join('  ')}`);
      rows.push(...compared.rows);
      values.push(...compared.values);
    } catch (error) {
      if (isCleaning()) throw error;
      console.error(`\n${name} failed:`, error);
      failed.push(name);
    }
    process.stderr.write('\n');
  }
  values.push(...(await moreValues()));
  if (rows.length > 0) {
    printTable(HEAD, rows);
    console.log(`\n${NOTES}\n`);
  }
  if (values.length > 0) printTable(VALUES_HEAD, values);
  if (failed.length > 0) console.log(`\nNot measured, see the errors above: ${failed.join(', ')}.`);
  return failed.length === 0;
}
