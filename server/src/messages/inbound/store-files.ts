import type { ReceiveDeps } from '../../files/receive.ts';
import type { InboundEvent } from '../../providers/inbound-event.ts';
import type { ReceivedEvent } from './apply.ts';
import { type ReceivedMessage, storeBytes } from './media.ts';
import { findReceivedBefore } from './resolve-chats.ts';

interface StoredFiles {
  /** The event with its files as they are stored. */
  withFiles(event: InboundEvent): ReceivedEvent;
  /** Releases the bytes that no message has kept. */
  release(): Promise<void>;
}

/** Stores the bytes that came with new messages, before the transaction begins. */
export async function storeFiles(
  deps: ReceiveDeps,
  channel: { id: string; tenantId: string },
  events: readonly InboundEvent[],
): Promise<StoredFiles> {
  const replaced = new Map<InboundEvent, ReceivedMessage>();
  const stored: { release(): Promise<void> }[] = [];
  const release = async (): Promise<void> => {
    for (const file of stored) await file.release();
  };
  const seen = new Set<string>();
  const withBytes = events.flatMap((event) =>
    'media' in event &&
    event.media.some(({ bytes }) => bytes?.length) &&
    !seen.has(event.vendorId) &&
    seen.add(event.vendorId)
      ? [event]
      : [],
  );
  const before = await findReceivedBefore(
    deps.db,
    channel.id,
    withBytes.map(({ vendorId }) => vendorId),
  );
  try {
    for (const message of withBytes.filter(({ vendorId }) => !before.has(vendorId))) {
      const media: ReceivedMessage['media'] = [];
      for (const one of message.media) {
        const { bytes, mimeType, filename } = one;
        const file = bytes?.length
          ? await storeBytes(deps, channel.tenantId, { bytes, mimeType, filename })
          : undefined;
        if (file) stored.push(file);
        media.push(file ? { ...one, file } : one);
      }
      replaced.set(message, { ...message, media });
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { withFiles: (event) => replaced.get(event) ?? event, release };
}
