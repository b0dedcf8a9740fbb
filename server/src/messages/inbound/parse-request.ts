import type { Adapter } from '../../providers/adapter.ts';
import type { AdapterChannel } from '../../providers/adapter-channel.ts';
import type { Adapters } from '../../providers/adapters.ts';
import type { InboundEvent } from '../../providers/inbound-event.ts';
import type { ProviderRequest } from '../../providers/provider-request.ts';
import { declareTask } from '../../sandboxed/task.ts';
import type { TaskPool } from '../../sandboxed/task-pool.ts';

interface ParseInput extends Omit<ProviderRequest, 'body'> {
  body: Uint8Array;
  provider: string;
  channel: AdapterChannel;
}

export const parseTask = declareTask<ParseInput, InboundEvent[]>('parse_request', 'parsing');

/** Above this size requests of every vendor are parsed in a thread: 64 kB of JSON take 1 ms, 3 MiB take 50. */
const LARGE_BYTES = 64 * 1024;

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

/** Bytes lose their class on the way between threads. */
const withBuffers = (event: InboundEvent): InboundEvent =>
  event.kind === 'message' || event.kind === 'echo'
    ? {
        ...event,
        media: event.media.map((one) => (one.bytes ? { ...one, bytes: bufferOf(one.bytes) } : one)),
      }
    : event;

/** Performs the task in its thread. The body may be shared memory, which not every parser reads. */
export const parseInThread =
  (adapters: Adapters) =>
  ({ provider, channel, body, ...request }: ParseInput): InboundEvent[] | Promise<InboundEvent[]> => {
    const adapter = adapters.get(provider);
    if (!adapter) throw new Error(`There is no provider "${provider}".`);
    return adapter.parseInbound({ ...request, body: Buffer.from(body) }, channel);
  };

/** The events of a stored request. Rejects with a `TaskError` if it cannot be parsed in time. */
export async function parseRequest(
  request: ProviderRequest,
  channel: AdapterChannel,
  adapter: Adapter,
  tasks: TaskPool,
): Promise<InboundEvent[]> {
  const inThread = adapter.inThread?.(channel.kind);
  if (inThread === undefined || (inThread === 'large' && request.body.length <= LARGE_BYTES))
    return adapter.parseInbound(request, channel);
  const { url, headers, body, receivedAt } = request;
  const { provider } = adapter;
  const input = { url, headers, body, provider, channel, ...(receivedAt ? { receivedAt } : {}) };
  return (await tasks.run(parseTask, input, channel.tenantId)).map(withBuffers);
}
