import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printTable } from './table.ts';

interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  timeDeltas: number[];
}

const SHOWN = 40;

/** Names the file by its last two parts; the rest of the path is the same everywhere. */
const place = (url: string, line: number): string =>
  url === '' ? '' : `${url.split('/').slice(-2).join('/')}:${line + 1}`;

/** Prints where the process of the newest profile in a folder spent its time, by function, without what it called. */
export async function printProfile(folder: string): Promise<void> {
  const newest = (await readdir(folder))
    .filter((name) => name.endsWith('.cpuprofile'))
    .sort()
    .at(-1);
  if (newest === undefined) throw new Error(`There is no profile in ${folder}.`);
  const profile = JSON.parse(await readFile(join(folder, newest), 'utf8')) as CpuProfile;
  const names = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'}\t${place(url, lineNumber)}`,
    ]),
  );
  const self = new Map<string, number>();
  let busy = 0;
  for (const [at, id] of profile.samples.entries()) {
    const name = names.get(id) ?? '';
    const spent = profile.timeDeltas[at] ?? 0;
    if (name.startsWith('(idle)')) continue;
    busy += spent;
    self.set(name, (self.get(name) ?? 0) + spent);
  }
  const top = [...self].sort((a, b) => b[1] - a[1]).slice(0, SHOWN);
  printTable(
    ['function', 'self', 'where'],
    top.map(([name, spent]) => {
      const [called = '', where = ''] = name.split('\t');
      return [called, `${((spent / busy) * 100).toFixed(1)} %`, where];
    }),
  );
}
