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

export default defineConfig({
  test: {
    // PostgreSQL does half of the work: as many workers as cores, and not one less as is the default.
    maxWorkers: availableParallelism(),
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], ...shared } },
      {
        test: {
          name: 'api',
          include: ['test/api/**/*.test.ts'],
          globalSetup: ['test/kit/postgres.ts'],
          ...shared,
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          globalSetup: ['test/conformance/setup.ts'],
          ...shared,
        },
      },
      { test: { name: 'embedded', include: ['test/embedded/**/*.test.ts'], ...oneByOne } },
      { test: { name: 'faults', include: ['test/faults/**/*.test.ts'], ...oneByOne } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...oneByOne } },
    ],
  },
});
