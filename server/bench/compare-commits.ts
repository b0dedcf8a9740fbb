import type { Case, Effort, Figure, Side } from './figure.ts';
import { isDisturbed, MAX_DISTURBANCE, type Measurement, measureInTurns, median, warmUp } from './measure.ts';
import { isCleaning } from './processes.ts';
import { formatCount, formatMicros, formatSpread, printTable } from './table.ts';

const RATE_LIMIT = 0.95;
const COST_LIMIT = 1.05;

/**
 * Two processes of the same build differ by a few percent for as long as they run, depending on where their code happens to
 * lie in memory. So both servers are restarted after every second round, and the median is one of several processes.
 */
const ROUNDS_PER_START = 2;

/** Nothing but the servers' work may happen during a round: vacuum and checkpoint run between them. */
export const QUIET_DATABASE = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '16GB' };

const DEFAULT_EFFORT: Effort = { rounds: 8, seconds: 1 };

const HEAD = ['figure', 'old', 'new', 'new/old (range)', 'limit', ''];
const NOTES = `Ratios are medians of the rounds' ratios, with the lowest and highest in parentheses. CPU is the server's and
PostgreSQL's per operation. A figure without a limit differs too much between two runs of the same commit.`;

type Limit = { atLeast: number } | { atMost: number };

/** One line of the table. */
interface Row {
  cells: string[];
  isMissed: boolean;
}

function formatRow(
  title: string,
  [before, after]: [number[], number[]],
  format: (value: number) => string,
  limit: Limit | undefined,
): Row {
  const ratios = after.map((one, round) => one / (before[round] as number));
  const ratio = median(ratios);
  const cells = [title, format(median(before)), format(median(after)), formatSpread(ratios)];
  if (limit === undefined) return { cells: [...cells, '', ''], isMissed: false };
  const isMet = 'atLeast' in limit ? ratio >= limit.atLeast : ratio <= limit.atMost;
  const shown = 'atLeast' in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`;
  return { cells: [...cells, shown, isMet ? 'met' : 'missed'], isMissed: !isMet };
}

function formatCase(one: Case, before: Measurement[], after: Measurement[]): Row[] {
  const read = (pick: (round: Measurement) => number): [number[], number[]] => [
    before.map(pick),
    after.map(pick),
  ];
  const rows: Row[] = [];
  const perSecond = (value: number): string => `${formatCount(value)}/s`;
  if (one.hasRate !== false)
    rows.push(
      formatRow(
        one.title,
        read(({ rate }) => rate),
        perSecond,
        { atLeast: RATE_LIMIT },
      ),
    );
  if (one.hasCpu !== false) {
    // Without a line of its own for the rate, the title stands here.
    const title = one.hasRate === false ? `${one.title}: CPU` : `${/^ */.exec(one.title)?.[0]}  CPU`;
    rows.push(
      formatRow(
        title,
        read(({ cpu }) => cpu),
        formatMicros,
        { atMost: COST_LIMIT },
      ),
    );
  }
  for (const [name, value] of Object.entries(one.values ?? {})) {
    const { title, unit = '', digits = 0, betweenCommits = 'limited' } = value;
    if (betweenCommits === 'hidden') continue;
    const format = (number: number): string => `${number.toFixed(digits)} ${unit}`.trimEnd();
    const limit = betweenCommits === 'limited' ? { atMost: COST_LIMIT } : undefined;
    rows.push(
      formatRow(
        title,
        read(({ values }) => values[name] as number),
        format,
        limit,
      ),
    );
  }
  return rows;
}

interface Comparison {
  rows: Row[];
  rounds: number;
  disturbedRounds: number;
}

async function compareCase(
  pair: [Case, Case],
  sides: [Side, Side],
  given: Partial<Effort>,
): Promise<Comparison> {
  const [one] = pair;
  const { rounds, seconds } = { ...DEFAULT_EFFORT, ...one.effort, ...given };
  const restarts = one.restarts ?? 'often';
  const workloads = pair.map(({ ours }) => ours);
  const restartServer = async ({ getTarget }: Side): Promise<void> => {
    const target = await getTarget();
    await target.db.query('vacuum analyze');
    await target.db.query('checkpoint');
    await target.restart();
  };
  const restart = async (): Promise<number> => {
    if (restarts !== 'never') await Promise.all(sides.map(restartServer));
    return warmUp(workloads, one, seconds);
  };
  // Rows and statistics exist before the first process is warmed up: the plans that it makes for empty tables after a
  // vacuum read whole indexes, and are kept.
  if (restarts !== 'never') await warmUp(workloads, one, seconds);
  const count = await restart();
  const results = await measureInTurns(workloads, count, rounds, async (round) => {
    if (restarts === 'often' && round > 0 && round % ROUNDS_PER_START === 0) await restart();
  });
  const [before, after] = results as [Measurement[], Measurement[]];
  const measured = [...before, ...after];
  return {
    rows: formatCase(one, before, after),
    rounds: measured.length,
    disturbedRounds: measured.filter(isDisturbed).length,
  };
}

async function compareFigure(
  create: Figure,
  sides: [Side, Side],
  effort: Partial<Effort>,
): Promise<Comparison[]> {
  // If one side fails, the other one is not left running beside the next figure.
  const created = await Promise.allSettled(sides.map((side) => create(side)));
  const cases = created.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    for (const result of created) if (result.status === 'rejected') throw result.reason;
    const [before, after] = cases as [Case[], Case[]];
    const comparisons: Comparison[] = [];
    for (const [index, one] of before.entries())
      comparisons.push(await compareCase([one, after[index] as Case], sides, effort));
    return comparisons;
  } finally {
    for (const one of cases.flat()) await one.ours.stop?.();
  }
}

/** Compares two commits and prints the table. Returns whether every limit is met. */
export async function compareCommits(
  chosen: Record<string, Figure>,
  sides: [Side, Side],
  effort: Partial<Effort>,
): Promise<boolean> {
  const comparisons: Comparison[] = [];
  for (const [name, create] of Object.entries(chosen)) {
    process.stderr.write(` ${name} `);
    try {
      comparisons.push(...(await compareFigure(create, sides, effort)));
    } catch (error) {
      if (isCleaning()) throw error;
      console.error(`\n${name} failed:`, error);
      const cells = [name, '', '', '', '', 'failed'];
      comparisons.push({ rows: [{ cells, isMissed: true }], rounds: 0, disturbedRounds: 0 });
    }
  }
  process.stderr.write('\n');
  const rows = comparisons.flatMap((comparison) => comparison.rows);
  printTable(
    HEAD,
    rows.map(({ cells }) => cells),
  );
  console.log(`\n${NOTES}`);
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  const disturbed = sum(comparisons.map(({ disturbedRounds }) => disturbedRounds));
  if (disturbed > 0)
    console.log(
      `In ${disturbed} of ${sum(comparisons.map(({ rounds }) => rounds))} rounds other programs used more than ${
        MAX_DISTURBANCE * 100
      } % of the machine: run it again when the machine is quiet.`,
    );
  return !rows.some(({ isMissed }) => isMissed);
}
