// Holds the import rules. A run that saw no modules is a failure: the tool passes silently when it cannot read the code.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const root = fileURLToPath(new URL('../../', import.meta.url));
process.chdir(root);
const ruleSet = createRequire(import.meta.url)(`${root}.dependency-cruiser.cjs`);
const tsConfig = `${root}server/tsconfig.json`;
const result = await cruise(
  ['server/src', 'sdk/src'],
  { ...ruleSet.options, ruleSet, validate: true, tsConfig: { fileName: tsConfig } },
  undefined,
  { tsConfig: extractTSConfig(tsConfig) },
);
const { summary } = result.output;
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`);
const ours = result.output.modules.filter(({ source }) => source.startsWith('server/src')).length;
console.log(
  `${ours} modules, ${summary.totalDependenciesCruised} imports, ${summary.violations.length} violations`,
);
if (ours < 50 || summary.violations.length > 0) process.exit(1);
