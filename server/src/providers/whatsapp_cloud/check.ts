import type { AdapterChannel, ChannelProblem } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
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
  if (!answer.ok) return [problemOf(answer.error, 'config.phoneNumberId', 'phone number')];
  const shown = textOf(answer.body.display_phone_number);
  return shown === null || digitsOf(shown) === digitsOf(address)
    ? []
    : [{ path: 'address', message: `At Meta the number with this id is ${shown}.` }];
}

/** Templates and webhooks belong to the account, so it must be the account of the number. */
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
  if (!numbers.ok) return [problemOf(numbers.error, path, 'WhatsApp business account')];
  const hasNumber = partsOf(numbers.body.data).some(({ id }) => idOf(id) === config.phoneNumberId);
  if (!hasNumber && partOf(numbers.body.paging).next === undefined)
    return [{ path, message: 'This account does not have the phone number of config.phoneNumberId.' }];
  const apps = await ask('subscribed_apps', {});
  if (!apps.ok) return [problemOf(apps.error, path, 'WhatsApp business account')];
  return partsOf(apps.body.data).length > 0
    ? []
    : [
        {
          path,
          message: "No app is subscribed to this account's webhooks, so no messages arrive.",
        },
      ];
}

/** Checks the settings by calls to Meta. No message is sent. */
export async function check(channel: AdapterChannel, context: AdapterContext): Promise<ChannelProblem[]> {
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const problems = await problemsOfNumber(graph, channel);
  const isReachable = problems.every(({ path }) => path === 'address');
  return isReachable ? [...problems, ...(await problemsOfAccount(graph, channel))] : problems;
}
