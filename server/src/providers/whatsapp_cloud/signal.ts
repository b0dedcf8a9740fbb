import type { ChatSignal } from '../adapter.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { callOrThrow, FACEBOOK_GRAPH, graphFor } from '../meta/graph.ts';

const DEADLINE_MS = 10_000;

/** Marks the message and those before it as read. A typing indicator can only come with that. */
export async function signal(
  kind: ChatSignal,
  { vendorId }: { vendorId: string },
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<void> {
  if (kind === 'stop_typing') return;
  await callOrThrow(graphFor(config, FACEBOOK_GRAPH, context), {
    method: 'POST',
    path: `${config.phoneNumberId}/messages`,
    json: {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: vendorId,
      ...(kind === 'typing' ? { typing_indicator: { type: 'text' } } : {}),
    },
    deadlineMs: DEADLINE_MS,
  });
}
