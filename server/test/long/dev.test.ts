import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { cleanUp } from '../kit/clean-up.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

const SERVER = fileURLToPath(new URL('../../', import.meta.url));
const TIMEOUT_MS = 50_000;

/** A program of two files. Types make the lines of the build differ from those of the source. */
const broken = `interface Order {
  id: string;
}

export function ship(order: Order): string {
  throw new Error('cannot ship '.concat(order.id));
}
`;
const main = `import { ship } from './ship.ts';

export async function main(): Promise<void> {
  console.log(ship({ id: 'A-7' }));
}
`;

describe('npm run dev', () => {
  let root: string;
  let dev: ChildProcess;
  let output = '';
  beforeAll(async () => {
    root = await useTempFolder();
    for (const name of ['bin', 'scripts/dev.js', 'package.json'])
      await cp(join(SERVER, name), join(root, name), { recursive: true });
    await symlink(join(SERVER, '../node_modules'), join(root, 'node_modules'));
    await mkdir(join(root, 'src/cli'), { recursive: true });
    await mkdir(join(root, 'migrations'));
    await writeFile(join(root, 'src/cli/main.ts'), main.replace('./ship', '../ship'));
    await writeFile(join(root, 'src/main.ts'), main);
    await writeFile(join(root, 'src/task-threads.ts'), '');
    await writeFile(join(root, 'src/ship.ts'), broken);
    dev = spawn(process.execPath, ['scripts/dev.js'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    cleanUp(async () => {
      if (dev.exitCode !== null) return;
      dev.kill('SIGTERM');
      await once(dev, 'exit');
    });
    for (const stream of [dev.stdout, dev.stderr]) stream?.on('data', (chunk) => (output += chunk));
  });
  const printed = (text: string) => vi.waitFor(() => expect(output).toContain(text), TIMEOUT_MS);

  it('shows the TypeScript file and line of an error', async () => {
    await printed('cannot ship A-7');
    await printed('src/ship.ts:6:9');
    await printed('src/main.ts:4:15');
    expect(output).toContain("throw new Error('cannot ship '.concat(order.id));");
    expect(output).not.toContain('dist/main.js:');
  });

  it('keeps waiting while a source cannot be built, and starts again when it can', async () => {
    await writeFile(join(root, 'src/ship.ts'), 'export const ship = (');
    await printed('the build failed');
    await writeFile(
      join(root, 'src/ship.ts'),
      "export const ship = ({ id }: { id: string }) => 'shipped '.concat(id);",
    );
    await printed('shipped A-7');
  });

  it('leaves source maps alone when the server is started as in production', async () => {
    await writeFile(join(root, 'src/ship.ts'), broken);
    const { stderr } = spawnSync(process.execPath, ['bin/parley.js'], { cwd: root, encoding: 'utf8' });
    expect(stderr).toContain('cannot ship A-7');
    expect(stderr).toContain('dist/main.js:');
    expect(stderr).not.toContain('.ts:');
  });
});
