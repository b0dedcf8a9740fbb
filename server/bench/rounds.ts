import { cpuSeconds } from './cpu.ts';
import type { LoadResult } from './load.ts';

export interface Side {
  /** `ours`, or the name of a bare counterpart. */
  name: string;
  pid: number;
  /** False for a program without a database, to which what PostgreSQL does meanwhile is not charged. */
  hasDatabase?: boolean;
  /** What a round needs to be there; not measured. */
  prepare?(): Promise<void>;
  /** One round: resolves when everything it asked for is done. */
  run(): Promise<LoadResult>;
  /** Throws when the round did not do what it said; not measured. */
  check?(): Promise<void>;
}

export interface Measured {
  /** Operations a second. */
  rate: number;
  /** Microseconds of CPU per operation, of the server and PostgreSQL together. */
  cpu: number;
  /** The server's part of them. */
  serverCpu: number;
}

/** The rounds of each side, by its name. */
export type Rounds = Map<string, Measured[]>;

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};

/**
 * Measures the sides in turn, and each round begins with another one, so that whatever else the machine does meets all
 * of them alike.
 */
export async function measure(sides: Side[], rounds: number, postmasterPid: number): Promise<Rounds> {
  const results: Rounds = new Map(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % sides.length;
    for (const side of [...sides.slice(first), ...sides.slice(0, first)]) {
      await side.prepare?.();
      const before = await cpuSeconds(side.pid, postmasterPid);
      const { operations, seconds } = await side.run();
      const after = await cpuSeconds(side.pid, postmasterPid);
      await side.check?.();
      const serverCpu = ((after.server - before.server) / operations) * 1e6;
      const ofPostgres = side.hasDatabase === false ? 0 : after.postgres - before.postgres;
      const postgresCpu = (ofPostgres / operations) * 1e6;
      results.get(side.name)?.push({ rate: operations / seconds, cpu: serverCpu + postgresCpu, serverCpu });
    }
    process.stderr.write('.');
  }
  return results;
}

export interface Comparison {
  figure: string;
  bare: Measured[];
  ours: Measured[];
  /** The least ratio of throughput that we want; undefined when the line is for information. */
  goal: number | undefined;
}

const count = (value: number): string =>
  value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en');

/** The median of the rounds' ratios, with the lowest and highest in brackets. */
export function spread(ratios: number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  return `${median(ratios).toFixed(2)} (${sorted[0]?.toFixed(2)}–${sorted.at(-1)?.toFixed(2)})`;
}

/** Microseconds per operation, with the server's part in brackets. */
const cost = (rounds: Measured[]): string =>
  `${count(median(rounds.map((one) => one.cpu)))} (${count(median(rounds.map((one) => one.serverCpu)))})`;

export const comparisonHead = [
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

export function comparisonRow({ figure, bare, ours, goal }: Comparison): string[] {
  const ratio = (of: (one: Measured) => number): number[] =>
    ours.map((one, at) => of(one) / of(bare[at] as Measured));
  const rate = ratio((one) => one.rate);
  const cpu = ratio((one) => one.cpu);
  return [
    figure,
    count(median(bare.map((one) => one.rate))),
    count(median(ours.map((one) => one.rate))),
    spread(rate),
    cost(bare),
    cost(ours),
    spread(cpu),
    (1 / median(cpu)).toFixed(2),
    goal === undefined ? '' : `≥ ${goal.toFixed(2)} ${median(rate) >= goal ? 'met' : 'missed'}`,
  ];
}

/** Lines of equal columns, the first one flush left. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...rows])
    console.log(
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    );
}
