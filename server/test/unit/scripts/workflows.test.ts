import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(`${ROOT}${folder}`).map((name) => `${folder}/${name}`);

interface Workflow {
  jobs: Record<string, { strategy?: { matrix?: { script?: string[] } }; steps: { run?: string }[] }>;
}

/** The npm scripts that a text calls. */
const calledIn = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test|start))\b/g)].map(
    ([, script, short]) => script ?? (short as string),
  );

describe('the files for GitHub', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const workflows = filesIn('.github/workflows').map((path) => parse(read(path)) as Workflow);
  const called = workflows
    .flatMap(({ jobs }) => Object.values(jobs))
    .flatMap(({ strategy, steps }) => [
      ...(strategy?.matrix?.script ?? []),
      ...steps.flatMap(({ run }) => calledIn(run ?? '')),
    ]);

  it('call only npm scripts that exist', () => {
    expect(called.length).toBeGreaterThan(5);
    expect(called.filter((script) => scripts[script] === undefined)).toEqual([]);
  });

  it('call everything that .ci/run calls', () => {
    const inRun = calledIn(read('.ci/run').replaceAll(/^\s*(#|step ).*$/gm, ''));
    expect(inRun).toContain('check');
    expect(inRun.filter((script) => !called.includes(script))).toEqual([]);
  });

  it('have issue forms with a name, a description and fields with ids', () => {
    const forms = filesIn('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('config.yml'));
    expect(forms).toHaveLength(3);
    for (const path of forms) {
      const { name, description, body } = parse(read(path));
      expect([path, typeof name, typeof description]).toEqual([path, 'string', 'string']);
      for (const field of body)
        expect([path, field.type === 'markdown' || field.id !== undefined]).toEqual([path, true]);
    }
  });
});
