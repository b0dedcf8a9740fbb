import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Clock ticks a second in /proc: USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS = 100;

interface ProcessTimes {
  pid: number;
  parent: number;
  /** CPU seconds of the process itself, over all its threads. */
  own: number;
  /** CPU seconds of its children that have ended; 0 where the system does not report them. */
  ended: number;
}

/** The name of a process may contain blanks and parentheses, so fields are counted from the last parenthesis. */
function parseStat(text: string): ProcessTimes {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const seconds = (at: number): number => Number(fields[at]) / TICKS;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(fields[1]),
    own: seconds(11) + seconds(12),
    ended: seconds(13) + seconds(14),
  };
}

async function readProc(): Promise<ProcessTimes[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return texts.filter((text) => text !== '').map(parseStat);
}

/**
 * The same in nanoseconds, from the scheduler: `stat` counts whole ticks, and 20 backends that each lose half a tick are
 * 1 % of a round of 5 s. Only threads that are alive are counted, so the larger of the two is right in either case.
 */
async function readPreciseSeconds({ pid, own }: ProcessTimes): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return Math.max(own, texts.reduce((sum, text) => sum + Number.parseInt(text, 10), 0) / 1e9);
}

async function readPs(): Promise<ProcessTimes[]> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,time='], { maxBuffer: 16 * 1024 * 1024 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, time = ''] = line.trim().split(/\s+/);
      const [days, clock] = time.includes('-') ? (time.split('-') as [string, string]) : ['0', time];
      const own = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), Number(days) * 86_400);
      return { pid: Number(pid), parent: Number(parent), own, ended: 0 };
    });
}

const readProcesses = (): Promise<ProcessTimes[]> => (process.platform === 'linux' ? readProc() : readPs());

/** The pids of a process and its children. A backend of PostgreSQL is a child of the postmaster. */
export async function findFamily(pid: number): Promise<number[]> {
  return (await readProcesses()).filter((one) => one.pid === pid || one.parent === pid).map((one) => one.pid);
}

/** The processes whose CPU time is charged: a server, or several on one PostgreSQL. */
export interface Charged {
  server?: number | number[];
  postmaster?: number;
}

export interface CpuSeconds {
  server: number;
  postgres: number;
}

/**
 * CPU seconds so far of a server and of PostgreSQL with all its backends. Backends that have ended count through the
 * postmaster, which has waited for them, so the result never shrinks.
 */
export async function readCpuSeconds(of: Charged): Promise<CpuSeconds> {
  const servers = [of.server ?? []].flat();
  const sum = { server: 0, postgres: 0 };
  const precise = process.platform === 'linux' ? readPreciseSeconds : async (one: ProcessTimes) => one.own;
  for (const one of await readProcesses()) {
    if (servers.includes(one.pid)) sum.server += await precise(one);
    else if (one.pid === of.postmaster) sum.postgres += one.ended + (await precise(one));
    else if (one.parent === of.postmaster) sum.postgres += await precise(one);
  }
  return sum;
}

/**
 * CPU seconds so far of all programs that do not belong to this benchmark, with those that the host took from a virtual
 * machine; 0 where the system does not report them.
 */
export async function readForeignCpuSeconds(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const [, user, nice, system, , , , , steal] = (await readFile('/proc/stat', 'utf8'))
    .split(/\s+/, 9)
    .map(Number);
  const processes = await readProcesses();
  const isOurs = new Set([process.pid]);
  // A parent has not always a lower pid than its child, so the whole list is read until nothing is added.
  for (let before = 0; before < isOurs.size; ) {
    before = isOurs.size;
    for (const { pid, parent } of processes) if (isOurs.has(parent)) isOurs.add(pid);
  }
  const ours = processes.filter(({ pid }) => isOurs.has(pid));
  const used = ((user ?? 0) + (nice ?? 0) + (system ?? 0) + (steal ?? 0)) / TICKS;
  return used - ours.reduce((sum, { own, ended }) => sum + own + ended, 0);
}

/** Megabytes of these processes. PSS divides shared pages among the processes that share them; RSS counts them in full for each. */
export async function readMemory(pids: number[]): Promise<{ pss: number | undefined; rss: number }> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', pids.join(',')]);
    const kilobytes = stdout.trim().split(/\s+/).map(Number);
    return { pss: undefined, rss: kilobytes.reduce((a, b) => a + b, 0) / 1024 };
  }
  let pss: number | undefined = 0;
  let rss = 0;
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => undefined);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const field = (source: string, name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(source)?.[1] ?? 0) / 1024;
    rss += field(status, 'VmRSS');
    pss = text === undefined || pss === undefined ? undefined : pss + field(text, 'Pss');
  }
  return { pss, rss };
}
