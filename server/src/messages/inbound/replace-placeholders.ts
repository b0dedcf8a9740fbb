import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { entryOfReceived, type ReceivedMessage, storeMedia } from './media.ts';

/** What the history of WhatsApp has instead of a file, until the file comes in a request of its own. */
const PLACEHOLDER = 'media_placeholder';

const replace = statement<
  [
    channelId: string,
    vendorId: string,
    type: string,
    text: string | null,
    media: string,
    content: string,
    now: Date,
  ],
  { id: string }
>(
  'messages.replace_placeholder',
  `update visible_messages m set type = $3, text = $4, media = $5, content = $6, updated_at = $7
     from vendor_messages v
    where v.channel_id = $1 and v.vendor_id = $2 and m.id = v.message_id and m.tenant_id = $tenant
      and m.deleted_at is null and m.content ->> 'vendorType' = '${PLACEHOLDER}'
   returning m.id`,
);

/** Gives imported messages their files, which come after them. One that has its content by now is not changed. */
export async function replacePlaceholders(
  tx: TenantTx,
  channelId: string,
  messages: readonly ReceivedMessage[],
): Promise<void> {
  for (const { vendorId, type, text, media, content } of messages) {
    if (media.length === 0) continue;
    const entries = media.map(entryOfReceived);
    const row = await tx.find(replace, [
      channelId,
      vendorId,
      type,
      text,
      JSON.stringify(entries),
      JSON.stringify(content),
      tx.now,
    ]);
    if (row) await storeMedia(tx, channelId, [{ id: row.id, media }]);
  }
}
