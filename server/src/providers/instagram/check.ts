import type { AdapterChannel, ChannelProblem } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { call, graphFor, INSTAGRAM_GRAPH } from '../meta/graph.ts';
import { idOf, partsOf, textOf } from '../meta/payload.ts';
import { problemOf } from '../meta/problem.ts';

const DEADLINE_MS = 10_000;

/** Checks the settings by calls to Meta. No message is sent. */
export async function check({ config }: AdapterChannel, context: AdapterContext): Promise<ChannelProblem[]> {
  const graph = graphFor(config, INSTAGRAM_GRAPH, context);
  const ask = (path: string, query: Record<string, string>) =>
    call(graph, { method: 'GET', path, query, deadlineMs: DEADLINE_MS });
  const me = await ask('me', { fields: 'user_id,username' });
  const path = 'config.accountId';
  if (!me.ok) return [problemOf(me.error, path, 'account')];
  const userId = idOf(me.body.user_id);
  if (userId !== '' && userId !== config.accountId) {
    const name = textOf(me.body.username);
    return [
      {
        path,
        message: `The access token belongs to the account ${userId}${name === null ? '' : ` (${name})`}.`,
      },
    ];
  }
  const apps = await ask('me/subscribed_apps', {});
  if (!apps.ok) return [problemOf(apps.error, path, 'account')];
  return partsOf(apps.body.data).length > 0
    ? []
    : [
        {
          path,
          message: "No app is subscribed to this account's webhooks, so no messages arrive.",
        },
      ];
}
