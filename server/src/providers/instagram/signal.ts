import type { ChatSignal } from '../adapter.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { Handle } from '../kinds.ts';
import { callOrThrow, graphFor, INSTAGRAM_GRAPH } from '../meta/graph.ts';

const DEADLINE_MS = 10_000;
const actions: Record<ChatSignal, string> = {
  read: 'mark_seen',
  typing: 'typing_on',
  stop_typing: 'typing_off',
};

export async function signal(
  kind: ChatSignal,
  { to }: { to: Handle },
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<void> {
  await callOrThrow(graphFor(config, INSTAGRAM_GRAPH, context), {
    method: 'POST',
    path: `${config.accountId}/messages`,
    json: { recipient: { id: to.value }, sender_action: actions[kind] },
    deadlineMs: DEADLINE_MS,
  });
}
