import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';

/** Writes generated files, or with `--check` only says which of the committed ones are out of date. */
export async function writeOrCheck(files: Record<string, string>, command: string): Promise<void> {
  const isCheck = process.argv.includes('--check');
  const stale: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const name = relative(process.cwd(), path);
    if ((await readFile(path, 'utf8').catch(() => '')) === text) continue;
    stale.push(name);
    if (isCheck) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    console.log(`wrote ${name}`);
  }
  if (!isCheck || stale.length === 0) return;
  console.error(`Out of date: ${stale.join(', ')}. Run: ${command}`);
  process.exitCode = 1;
}
