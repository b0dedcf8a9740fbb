// Holds the import rules. A run that saw no modules is a failure: the tool passes silently when it cannot read the code.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = fileURLToPath(new URL('../../', import.meta.url));
process.chdir(root);
const ruleSet = createRequire(import.meta.url)(`${root}.dependency-cruiser.cjs`);
/** Which folders are read with which settings of TypeScript, and how many modules there are at least. */
const PROGRAMS = [
  { tsConfig: `${root}server/tsconfig.json`, folders: ['server/src', 'sdk/src'], least: 50 },
  { tsConfig: `${root}console/tsconfig.json`, folders: ['console/src'], least: 30 },
];

for (const { tsConfig, folders, least } of PROGRAMS) {
  const result = await cruise(
    folders,
    { ...ruleSet.options, ruleSet, validate: true, tsConfig: { fileName: tsConfig } },
    undefined,
    { tsConfig: extractTSConfig(tsConfig) },
  );
  const { summary, modules } = result.output;
  for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`);
  const ours = modules.filter(({ source }) => source.startsWith(folders[0])).length;
  console.log(
    `${folders[0]}: ${ours} modules, ${summary.totalDependenciesCruised} imports, ${summary.violations.length} violations`,
  );
  if (ours < least || summary.violations.length > 0) process.exitCode = 1;
}
