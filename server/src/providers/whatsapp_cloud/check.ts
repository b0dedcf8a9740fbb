import type { AdapterChannel, AdapterContext, ChannelProblem } from '../adapter.ts';
import { call, FACEBOOK_GRAPH, type Graph, graphFor } from '../meta/graph.ts';
import { idOf, partOf, partsOf, textOf } from '../meta/payload.ts';
import { problemOf } from '../meta/problem.ts';

const DEADLINE_MS = 10_000;

const digitsOf = (text: string): string => text.replace(/[^0-9]/g, '');

async function problemsOfNumber(
  graph: Graph,
  { address, config }: AdapterChannel,
): Promise<ChannelProblem[]> {
  const answer = await call(graph, {
    method: 'GET',
    path: String(config.phoneNumberId),
    query: { fields: 'id,display_phone_number,verified_name' },
    deadlineMs: DEADLINE_MS,
  });
  if (!answer.ok) return [problemOf(answer.issue, 'config.phoneNumberId', 'phone number')];
  const shown = textOf(answer.body.display_phone_number);
  return shown === null || digitsOf(shown) === digitsOf(address)
    ? []
    : [{ path: 'address', message: `At Meta the number with this id is ${shown}.` }];
}

/** Templates and webhooks hang on the account, so it must be the one that holds the number. */
async function problemsOfAccount(graph: Graph, { config }: AdapterChannel): Promise<ChannelProblem[]> {
  const path = 'config.businessAccountId';
  const ask = (edge: string, query: Record<string, string>) =>
    call(graph, {
      method: 'GET',
      path: `${config.businessAccountId}/${edge}`,
      query,
      deadlineMs: DEADLINE_MS,
    });
  const numbers = await ask('phone_numbers', { fields: 'id', limit: '1000' });
  if (!numbers.ok) return [problemOf(numbers.issue, path, 'WhatsApp business account')];
  const isHeld = partsOf(numbers.body.data).some(({ id }) => idOf(id) === config.phoneNumberId);
  if (!isHeld && partOf(numbers.body.paging).next === undefined)
    return [{ path, message: 'This account does not hold the phone number of config.phoneNumberId.' }];
  const apps = await ask('subscribed_apps', {});
  if (!apps.ok) return [problemOf(apps.issue, path, 'WhatsApp business account')];
  return partsOf(apps.body.data).length > 0
    ? []
    : [
        {
          path,
          message: "No app is subscribed to this account's webhooks, so nothing that people write arrives.",
        },
      ];
}

/** What Meta says to the settings, in words. Nothing is sent to anybody. */
export async function check(channel: AdapterChannel, context: AdapterContext): Promise<ChannelProblem[]> {
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const problems = await problemsOfNumber(graph, channel);
  const isReached = problems.every(({ path }) => path === 'address');
  return isReached ? [...problems, ...(await problemsOfAccount(graph, channel))] : problems;
}
