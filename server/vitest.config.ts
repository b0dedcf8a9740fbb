import { defineConfig } from 'vitest/config';

const onDatabase = {
  globalSetup: ['test/kit/postgres.ts'],
  pool: 'forks' as const,
  isolate: false,
  testTimeout: 20_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          pool: 'forks',
          isolate: false,
          testTimeout: 20_000,
        },
      },
      { test: { name: 'api', include: ['test/api/**/*.test.ts'], ...onDatabase } },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
