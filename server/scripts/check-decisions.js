// docs/decisions.md answers every gap of the specification; each answer names the test that pins it, or is still open.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const GAPS = 27;
const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}docs/decisions.md`, 'utf8');
const rows = page.split('\n').filter((line) => /^\| \d+ \|/.test(line));
const faults = [];

for (const row of rows) {
  const [, number, , , , pinned] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
  const named = [...pinned.matchAll(/`([^`›]+) › ([^`]+)`/g)];
  if (named.length === 0 && !pinned.includes('*open*'))
    faults.push(`${number}: names no test and is not open`);
  for (const [, file, title] of named) {
    const path = `server/test/${file.trim()}.test.ts`;
    let source = '';
    try {
      source = readFileSync(`${root}${path}`, 'utf8');
    } catch {
      faults.push(`${number}: there is no ${path}`);
      continue;
    }
    if (!source.includes(`'${title.trim().replaceAll("'", "\\'")}'`) && !source.includes(`"${title.trim()}"`))
      faults.push(`${number}: ${path} has no test "${title.trim()}"`);
  }
}
const numbers = rows.map((row) => Number(row.split('|')[1]));
if (numbers.join() !== Array.from({ length: GAPS }, (_, index) => index + 1).join())
  faults.push(`there are ${GAPS} gaps, numbered in order; the page has ${numbers.join(', ')}`);
for (const fault of faults) console.error(fault);
const open = rows.filter((row) => row.includes('*open*')).length;
console.log(`${rows.length} gaps: ${rows.length - open} pinned by tests, ${open} open`);
if (faults.length > 0) process.exit(1);
