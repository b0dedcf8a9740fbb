// Everything that can be checked without running the product: `npm run check`. Prints the output of what fails.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The slow ones first: they then run beside the others. */
const SCRIPTS = [
  ['types'],
  ['lint'],
  ['imports'],
  ['openapi', '--check'],
  ['sdk', '--check'],
  ['docs', '--check'],
  ['schema', '--check'],
  ['writers'],
  ['knip'],
  ['words'],
  ['decisions'],
  ['engines'],
];
const cwd = fileURLToPath(new URL('../../', import.meta.url));

function run([name, ...args]) {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', name, '--', ...args], { cwd, shell: false });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ name, code: 1, output: error.message, seconds: 0 }));
    child.once('close', (code) => {
      resolve({ name, code, output, seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}

const startedAt = performance.now();
const waiting = [...SCRIPTS];
const failed = [];
async function work() {
  for (let script = waiting.shift(); script; script = waiting.shift()) {
    const { name, code, output, seconds } = await run(script);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
    if (code === 0) continue;
    failed.push(name);
    console.log(output.trimEnd().replaceAll(/^/gm, '    '));
  }
}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(failed.length === 0 ? `All checks passed in ${seconds} s.` : `Failed: ${failed.join(', ')}.`);
if (failed.length > 0) process.exitCode = 1;
