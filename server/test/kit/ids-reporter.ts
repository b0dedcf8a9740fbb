import { basename } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Attacks, faults, promises of isolation and findings have ids, which the titles of their tests begin with: `I8: …`, `V1–V3: …`. */
const IDS = /\b([ADFIJLRSVWX])(\d{1,2})(?:–\1(\d{1,2}))?\b/g;
/** The suites that show them; `npm test` has many more tests that mention one. */
const SUITES = ['long', 'faults', 'embedded'];

interface Shown {
  passed: number;
  failed: number;
  skipped: number;
  files: Set<string>;
}

function findIds(title: string): string[] {
  return [...title.matchAll(IDS)].flatMap(([, letter, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, step) => `${letter}${Number(first) + step}`),
  );
}

const compareIds = (a: string, b: string): number =>
  a.charCodeAt(0) - b.charCodeAt(0) || Number(a.slice(1)) - Number(b.slice(1));

function countIds(modules: readonly TestModule[]): Map<string, Shown> {
  const found = new Map<string, Shown>();
  for (const file of modules.filter(({ project }) => SUITES.includes(project.name)))
    for (const test of file.children.allTests()) {
      const { state } = test.result();
      for (const id of new Set(findIds(test.fullName))) {
        const shown = found.get(id) ?? { passed: 0, failed: 0, skipped: 0, files: new Set() };
        found.set(id, shown);
        shown[state === 'pending' ? 'skipped' : state] += 1;
        shown.files.add(basename(file.moduleId, '.test.ts'));
      }
    }
  return found;
}

/** Lists at the end of a run which ids were tested, how often, and in which files. */
export const idsReporter: Reporter = {
  onTestRunEnd(modules) {
    const found = countIds(modules);
    if (found.size === 0) return;
    const lines = [...found.keys()].toSorted(compareIds).map((id) => {
      const { files, ...counts } = found.get(id) as Shown;
      const states = Object.entries(counts).filter(([, count]) => count > 0);
      return `  ${id.padEnd(4)} ${states.map(([state, count]) => `${count} ${state}`).join(', ')}: ${[...files].join(', ')}`;
    });
    process.stdout.write(
      `\nIds of promises, findings, attacks and faults in this run:\n${lines.join('\n')}\n`,
    );
  },
};
