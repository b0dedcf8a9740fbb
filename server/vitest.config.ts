import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { idsReporter } from './test/kit/ids-reporter.ts';

const setupFiles = ['test/kit/each-file.ts'];
const runFolder = 'test/kit/run-folder.ts';
const postgres = 'test/kit/postgres.ts';
const conformance = 'test/conformance/setup.ts';

/** By default one second: too short on a busy machine. */
const expect = { poll: { timeout: 30_000 } };

/** Files share a process: to import the server once costs less than to start a process for each file. */
const shared = {
  pool: 'forks' as const,
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect,
  setupFiles,
};
/** Suites that start, stop and kill whole servers. */
const ofPrograms = {
  pool: 'forks' as const,
  testTimeout: 1_800_000,
  hookTimeout: 120_000,
  expect,
  setupFiles,
  globalSetup: [runFolder],
};

const filesIn = (folder: string): string => `test/${folder}/**/*.test.ts`;
const project = (name: string, folders: string[], ...globalSetups: string[]) => ({
  test: { name, include: folders.map(filesIn), globalSetup: [runFolder, ...globalSetups], ...shared },
});
const projectOfPrograms = (name: string, maxWorkers = 1) => ({
  test: { name, include: [filesIn(name)], maxWorkers, ...ofPrograms },
});

/**
 * PostgreSQL does half of the work, so there are as many workers as cores; by default there is one less. A worker has up to
 * 30 connections (75 were seen with two workers), the embedded PostgreSQL of the tests 300, any other 100 by default.
 */
const maxWorkers = Math.min(availableParallelism(), process.env.TEST_DATABASE_URL ? 2 : 8);

/** Compiled sources are kept between runs, by their content: two files then take 18 instead of 28 seconds of CPU. */
const compiled = {
  fsModuleCache: true,
  fsModuleCachePath: fileURLToPath(new URL('dist/vitest', import.meta.url)),
};

export default defineConfig({
  test: {
    maxWorkers,
    reporters: ['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), idsReporter],
    experimental: compiled,
    projects: [
      // `npm test`. It is one project because processes are not shared between projects.
      project('default', ['unit', 'api', 'conformance'], postgres, conformance),
      // Parts of it.
      project('unit', ['unit']),
      project('api', ['api'], postgres),
      project('conformance', ['conformance'], conformance),
      // Tests that take long: thousands of rows, large bodies, kills at every commit.
      project('long', ['long'], postgres),
      projectOfPrograms('embedded'),
      projectOfPrograms('faults'),
      // One file at a time uses 0.8 of a core: it often waits for a page.
      projectOfPrograms('e2e', 2),
      // Half an hour of mixed load; SOAK_MINUTES changes that.
      projectOfPrograms('soak'),
      // Not tests: they take the pictures of the documentation (`npm run pictures`).
      projectOfPrograms('pictures'),
    ],
  },
});
