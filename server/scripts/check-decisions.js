// docs/develop/decisions.md answers the 27 open points of the specification and records later decisions. Pages name tests
// as `api/files › title` or `api/files`. This script checks that every named test exists, wherever a page names it.
// With --fix it replaces a broken reference by the closest test if that one is clearly meant.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const OPEN_POINTS = 27;
/** A suggestion that is this similar is taken over by --fix. */
const CLEARLY_MEANT = 0.6;
const root = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = 'docs/develop/';
const TESTS = 'server/test/';
const DECISIONS = `${PAGES}decisions.md`;

const listFiles = (folder, ending) =>
  readdirSync(`${root}${folder}`, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith(ending))
    .sort();

/** The name that a chain of calls begins with: `it` of it('…'), it.each(…)('…') and it.skipIf(…)('…'). */
function rootName(node) {
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return rootName(node.expression);
  return ts.isIdentifier(node) ? node.text : undefined;
}

/** The titles of all tests and groups in a file. */
function titlesIn(source) {
  const found = [];
  const visit = (node) => {
    const [first] = ts.isCallExpression(node) ? node.arguments : [];
    if (first && ts.isStringLiteralLike(first) && ['it', 'test', 'describe'].includes(rootName(node)))
      found.push(first.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest));
  return found;
}

const titles = new Map(
  listFiles(TESTS, '.test.ts').map((file) => [
    file.replace(/\.test\.ts$/, ''),
    titlesIn(readFileSync(`${root}${TESTS}${file}`, 'utf8')),
  ]),
);

const pairsOf = (text) => {
  const letters = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
  return Array.from({ length: Math.max(letters.length - 1, 0) }, (_, index) =>
    letters.slice(index, index + 2),
  );
};

/** How similar two texts are, from 0 to 1: the share of letter pairs that they have in common. */
function similarity(one, other) {
  const [first, second] = [pairsOf(one), pairsOf(other)];
  const left = [...second];
  const common = first.filter((pair) => {
    const index = left.indexOf(pair);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
  return (2 * common.length) / Math.max(first.length + second.length, 1);
}

const best = (candidates) => candidates.reduce((a, b) => (b.score > (a?.score ?? 0) ? b : a), undefined);

/** The test that a broken reference most likely means. The same file, or a file of a similar name, counts in its favour. */
function closest(file, title) {
  const candidates = [...titles].flatMap(([name, all]) => {
    const near = name === file ? 1 : similarity(name.split('/').at(-1), file.split('/').at(-1));
    if (title === undefined) return [{ text: name, score: near }];
    return all.map((other) => ({
      text: `${name} › ${other}`,
      score: other === title ? 0.9 + near / 10 : 0.8 * similarity(other, title) + 0.2 * near,
    }));
  });
  return best(candidates);
}

const issues = [];
let checked = 0;
const SUITES = [...new Set([...titles.keys()].map((name) => name.split('/')[0]))].join('|');
const REFERENCE = new RegExp(`\`((?:${SUITES})/[\\w./-]+)(?: › ([^\`]+))?\``, 'g');

for (const file of listFiles(PAGES, '.md')) {
  const page = `${PAGES}${file}`;
  const source = readFileSync(`${root}${page}`, 'utf8');
  const lines = source.split('\n').map((line, index) =>
    line.replaceAll(REFERENCE, (reference, path, given) => {
      checked += 1;
      const title = given?.trim();
      const known = titles.get(path);
      if (known && (title === undefined || known.includes(title))) return reference;
      const what = known
        ? `${TESTS}${path}.test.ts has no test "${title}"`
        : `there is no ${TESTS}${path}.test.ts`;
      const suggestion = closest(path, title);
      issues.push(
        `${page}:${index + 1}: ${what}${suggestion ? `\n    closest: \`${suggestion.text}\`` : ''}`,
      );
      const isClear = suggestion && suggestion.score >= CLEARLY_MEANT;
      return isClear ? `\`${suggestion.text}\`` : reference;
    }),
  );
  if (process.argv.includes('--fix')) writeFileSync(`${root}${page}`, lines.join('\n'));
  if (page === DECISIONS) checkOpenPoints(source.split('\n'));
}

/** The table has a row for each open point, in order, and each row names a test. */
function checkOpenPoints(lines) {
  const rows = lines.flatMap((line, index) => (/^\| \d+ \|/.test(line) ? [{ line, number: index + 1 }] : []));
  for (const { line, number } of rows)
    if (!/` *\|$/.test(line) || !line.includes(' › ')) issues.push(`${DECISIONS}:${number}: names no test`);
  const numbers = rows.map(({ line }) => Number(line.split('|')[1]));
  if (numbers.join() !== Array.from({ length: OPEN_POINTS }, (_, index) => index + 1).join())
    issues.push(`${DECISIONS}: must have ${OPEN_POINTS} rows in order; it has ${numbers.join(', ')}`);
}

for (const issue of issues) console.error(issue);
console.log(`${checked} references to tests, ${issues.length} issues`);
if (issues.length > 0) process.exitCode = 1;
