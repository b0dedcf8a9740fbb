import { deepStrictEqual } from 'node:assert';
import type { Case, Side } from '../figure.ts';
import { requestBytes, sendRequests } from '../load.ts';
import { type Program, startBare } from '../processes.ts';
import { seedChats } from '../seed.ts';
import { callApi, createSandboxChannel, type Target } from '../target.ts';
import { chargeBare, chargeServer } from '../workload.ts';

const GOAL = 0.8;
const CHATS = 2000;
const WARM_UP = 5000;

/** Reads the same paths over and over. */
function createCase(
  path: string,
  target: Target,
  paths: string[],
  start: () => Promise<Program>,
  warmUp: number,
): Case {
  // The bare route ignores the token but reads the same bytes.
  const requests = paths.map((one) => requestBytes('GET', one, { token: target.token }));
  return {
    title: `GET ${path}`,
    warmUp,
    ours: {
      ...chargeServer(target),
      run: (count) => sendRequests(target.server.port, count, requests),
    },
    bares: [
      {
        goal: GOAL,
        async create() {
          const bare = await start();
          for (const one of paths.slice(0, 3))
            deepStrictEqual(await callApi(bare.port, 'GET', one), await target.call('GET', one));
          return {
            ...chargeBare(bare, target),
            run: (count) => sendRequests(bare.port, count, requests),
          };
        },
      },
    ],
  };
}

export async function createMe({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const answer = await target.call<object>('GET', '/v3/me');
  const start = () => startBare('me', { BENCH_ANSWER: JSON.stringify(answer) });
  return [createCase('/v3/me', target, ['/v3/me'], start, 3 * WARM_UP)];
}

export async function createChats({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const channelId = await createSandboxChannel(target, { name: 'Chats', address: '+15550009999' });
  const chatIds = await seedChats(target.db, target.tenantId, channelId, CHATS);
  const start = () =>
    startBare('chats', { BENCH_DATABASE_URL: target.databaseUrl, BENCH_TENANT: target.tenantId });
  const paths = chatIds.map((id) => `/v3/chats/${id}`);
  return [createCase('/v3/chats/{chatId}', target, paths, start, WARM_UP)];
}
