import { type Channel, createChannel } from '@parley/sdk';
import { useText } from '../i18n/i18n.tsx';
import { client, useWrite } from './api.ts';
import type { ChannelKind } from './channel-kinds.ts';

/** Digits that nobody has used before. */
export const inventDigits = (count: number): string =>
  String(crypto.getRandomValues(new Uint32Array(1))[0])
    .padStart(count, '0')
    .slice(-count);

/** An address that no vendor has. */
function inventAddress(kind: ChannelKind): string {
  const digits = inventDigits(7);
  if (kind === 'email') return `sandbox-${digits}@example.com`;
  return kind === 'instagram' ? `sandbox_${digits}` : `+1555${digits}`;
}

/** Creates a sandbox channel, which needs nothing but its kind. */
export function useCreateSandbox(onSuccess?: (channel: Channel) => void) {
  const t = useText();
  return useWrite(
    (kind: ChannelKind) =>
      createChannel(client, {
        body: {
          kind,
          provider: 'sandbox',
          name: t('channels.sandboxName', { kind: t(`kind.${kind}`) }),
          address: inventAddress(kind),
        },
      }),
    { invalidates: [['channels']], done: 'channels.created', ...(onSuccess && { onSuccess }) },
  );
}
