import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Files share their process: importing the server once costs less than starting a process a file. */
const shared = { pool: 'forks' as const, isolate: false, testTimeout: 20_000, hookTimeout: 60_000 };
/** Suites that start, stop and kill whole servers run one file at a time. */
const oneByOne = {
  pool: 'forks' as const,
  fileParallelism: false,
  testTimeout: 1_800_000,
  hookTimeout: 120_000,
};

/** What `npm test` runs. Beside it, `long` has what takes long: thousands of rows, large bodies, deaths at every commit. */
const FOLDERS = ['unit', 'api', 'conformance'];
const filesOf = (folder: string): string => `test/${folder}/**/*.test.ts`;
const globalSetups: Record<string, string[]> = {
  api: ['test/kit/postgres.ts'],
  conformance: ['test/conformance/setup.ts'],
  long: ['test/kit/postgres.ts'],
};

/** `npm test` is one project: a process serves one project only, and importing the server takes long. */
const defaultProject = {
  test: {
    name: 'default',
    include: FOLDERS.map(filesOf),
    globalSetup: FOLDERS.flatMap((name) => globalSetups[name] ?? []),
    ...shared,
  },
};
const apart = [...FOLDERS, 'long'].map((name) => ({
  test: { name, include: [filesOf(name)], globalSetup: globalSetups[name] ?? [], ...shared },
}));

/**
 * PostgreSQL does half of the work: as many workers as cores, and not one less as is the default. A worker has up to 30
 * connections (75 were seen with two workers), the embedded PostgreSQL of the tests 300, any other 100 by default.
 */
const maxWorkers = Math.min(availableParallelism(), process.env.TEST_DATABASE_URL ? 2 : 8);

export default defineConfig({
  test: {
    maxWorkers,
    projects: [
      defaultProject,
      ...apart,
      { test: { name: 'embedded', include: ['test/embedded/**/*.test.ts'], ...oneByOne } },
      { test: { name: 'faults', include: ['test/faults/**/*.test.ts'], ...oneByOne } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...oneByOne } },
    ],
  },
});
