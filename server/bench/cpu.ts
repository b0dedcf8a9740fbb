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
  /** CPU seconds of its children that have ended; 0 where the system does not tell. */
  ended: number;
}

/** The name of a process may hold blanks and parentheses, so fields are counted from the last parenthesis. */
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

async function fromProc(): Promise<ProcessTimes[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return texts.filter((text) => text !== '').map(parseStat);
}

async function fromPs(): Promise<ProcessTimes[]> {
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

const allProcesses = (): Promise<ProcessTimes[]> => (process.platform === 'linux' ? fromProc() : fromPs());

/** The process and its children, alive. A backend of PostgreSQL is a child of the postmaster. */
export async function familyOf(pid: number): Promise<number[]> {
  return (await allProcesses()).filter((one) => one.pid === pid || one.parent === pid).map((one) => one.pid);
}

export interface CpuSeconds {
  server: number;
  postgres: number;
}

/**
 * CPU seconds so far of a server and of PostgreSQL with all its backends. Backends that have ended count through the
 * postmaster, which has waited for them, so the figure never shrinks.
 */
export async function cpuSeconds(serverPid: number, postmasterPid: number): Promise<CpuSeconds> {
  const sum = { server: 0, postgres: 0 };
  for (const one of await allProcesses()) {
    if (one.pid === serverPid) sum.server += one.own;
    else if (one.pid === postmasterPid) sum.postgres += one.own + one.ended;
    else if (one.parent === postmasterPid) sum.postgres += one.own;
  }
  return sum;
}

/** Megabytes of these processes. PSS splits shared pages among those who share them; RSS counts them once each. */
export async function memoryOf(pids: number[]): Promise<{ pss: number | undefined; rss: number }> {
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
    const field = (of: string, name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(of)?.[1] ?? 0) / 1024;
    rss += field(status, 'VmRSS');
    pss = text === undefined || pss === undefined ? undefined : pss + field(text, 'Pss');
  }
  return { pss, rss };
}
