import { type ChannelKind, listChannelKinds } from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { client, useRead } from '../../api/api.ts';
import { addPatch } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';

export const CHANNELS_KEY = ['channels'];
export const setupKey = (channelId: string): readonly string[] => [...CHANNELS_KEY, 'setup', channelId];

/** What a channel of each kind and provider needs. */
export const useChannelKinds = () =>
  useRead([...CHANNELS_KEY, 'kinds'], (signal) => listChannelKinds(client, { signal }));

export const kindOf = (
  kinds: readonly ChannelKind[],
  { kind, provider }: Pick<ChannelKind, 'kind' | 'provider'>,
): ChannelKind | undefined => kinds.find((one) => one.kind === kind && one.provider === provider);

addPatch(['channel.*'], (_, cache) => void cache.invalidateQueries({ queryKey: CHANNELS_KEY }));

const READ_MS = 1_000;
const readSetupSoon = runSoon(READ_MS, (channelId, cache: QueryClient) => {
  void cache.invalidateQueries({ queryKey: setupKey(channelId) });
});
addPatch(['message.received', 'message.sent', 'message.failed'], (event, cache) => {
  if (event.channelId !== null) readSetupSoon(event.channelId, cache);
});
