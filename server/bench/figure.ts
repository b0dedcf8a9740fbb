import type { Charged } from './cpu.ts';
import type { LoadResult } from './load.ts';
import type { Target } from './target.ts';

/** A checkout whose server is measured. */
export interface Side {
  /** The server folder of the checkout. */
  serverRoot: string;
  /** How much of the usual data figures with much of it create: 1 unless given. */
  scale: number;
  /** Starts its server on the first call. */
  getTarget(): Promise<Target>;
}

export interface RoundResult extends LoadResult {
  /** What else the round found out, by the names in `Case.values`. */
  values?: Record<string, number>;
}

/** What one side does in every round. */
export interface Workload {
  /** The processes whose CPU time is charged to a round. */
  processes(): Charged;
  /** Replaces the usual warm-up. */
  warmUp?(): Promise<void>;
  /** Prepares a round; not measured. */
  prepare?(count: number): Promise<void>;
  /** Does so many operations and resolves when all of them are done. */
  run(count: number): Promise<RoundResult>;
  /** Throws if the round did not do what it should have done; not measured. */
  check?(): Promise<void>;
  stop?(): Promise<void>;
}

/** A bare counterpart of a workload. */
export interface Bare {
  /** Names the line; the case's title if absent. */
  title?: string;
  /** The least ratio of throughput that is wanted; undefined if the line is for information. */
  goal?: number;
  create(): Promise<Workload>;
}

/** A number of which less is better. */
interface Value {
  title: string;
  unit?: 'ms' | 'MB';
  digits?: number;
  /** The most that is wanted. */
  goal?: number;
  /** The most that is wanted, as a multiple of the bare counterpart. */
  bareGoal?: number;
  /**
   * How two commits are compared: `limited` unless given. `shown` if two runs of the same commit differ so much that a
   * limit would mean nothing, `hidden` if even the ratio does.
   */
  betweenCommits?: 'limited' | 'shown' | 'hidden';
}

export interface Effort {
  rounds: number;
  seconds: number;
}

/** One line of measurements: what our server does, and the bare programs that it is compared with. */
export interface Case {
  title: string;
  ours: Workload;
  bares?: Bare[];
  /** Operations of a warm-up; 0 where only `Workload.warmUp` warms up. */
  warmUp: number;
  /** Operations of a round. Without it, as many as the slowest side does in the seconds of a round. */
  count?(seconds: number): number;
  values?: Record<string, Value>;
  /** False if the number of operations per second says nothing about the server. */
  hasRate?: boolean;
  /** False if no CPU time is charged to it. */
  hasCpu?: boolean;
  /** Its own defaults in place of the usual ones. */
  effort?: Partial<Effort>;
  /**
   * How often a comparison of two commits restarts the servers: after every second round unless given, `once` before the
   * first round if warming up takes long, or `never`.
   */
  restarts?: 'often' | 'once' | 'never';
}

/** Creates the fixtures of a figure on one side. */
export type Figure = (side: Side) => Promise<Case[]>;
