import type { TestProject } from 'vitest/node';
import { startProgram } from '../kit/program.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server under test. */
    url: string;
    adminToken: string;
  }
}

export const ADMIN_TOKEN = 'operator-token-for-conformance-0123456789';

/** The program on a database of its own: on the PostgreSQL at this URL if there is one, or on its embedded one. */
export async function startParley(
  postgres: string | undefined,
  name: string,
  env: Record<string, string> = {},
  folder?: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const database = postgres ? await makeDatabase(postgres, name) : undefined;
  const variables = { PARLEY_ADMIN_TOKEN: ADMIN_TOKEN, ...database?.env, ...env };
  const program = await startProgram(variables, folder);
  return {
    url: program.url,
    async stop() {
      await program.stop();
      await database?.drop();
    },
  };
}

async function makeDatabase(server: string, name: string) {
  const { createDatabase, dropDatabases } = await import('../kit/postgres.ts');
  const database = `parley_test_${process.pid}_${name}`;
  return {
    env: { DATABASE_URL: await createDatabase(server, database) },
    drop: () => dropDatabases(server, database),
  };
}

/** One server for the whole suite: the one at PARLEY_URL, or one that is started and stopped with the suite. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { PARLEY_URL, PARLEY_ADMIN_TOKEN } = process.env;
  if (PARLEY_URL && !PARLEY_ADMIN_TOKEN)
    throw new Error('PARLEY_URL requires PARLEY_ADMIN_TOKEN, which creates the tenants of the tests.');
  // In the project `default`, the PostgreSQL of the other tests is there too.
  const { postgres = process.env.TEST_DATABASE_URL, runFolder } = project.getProvidedContext();
  const sunset = { PARLEY_V2_SUNSET: 'never' };
  const started = PARLEY_URL ? undefined : await startParley(postgres, 'conformance', sunset, runFolder);
  project.provide('url', started?.url ?? (PARLEY_URL as string).replace(/\/+$/, ''));
  project.provide('adminToken', PARLEY_URL ? (PARLEY_ADMIN_TOKEN as string) : ADMIN_TOKEN);
  return async () => started?.stop();
}
