import { requireChannel } from '../channels/channel.ts';
import { reachedBy } from '../chats/start-chat.ts';
import { findContacts } from '../contacts/contact.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { csvLine } from '../http/csv.ts';
import type { Download } from '../http/download.ts';
import { timestampOrNull } from '../http/schema.ts';
import { requireCampaign } from './campaign.ts';
import { RECIPIENT_CODE, RECIPIENT_STATUS, RECIPIENTS } from './recipient-status.ts';

const PAGE = 1000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface ResultRow {
  contact_id: string;
  status: string;
  code: string | null;
  message_id: string | null;
  sent_at: Date | null;
}

const resultsPage = statement<[campaignId: string, after: string], ResultRow>(
  'recipients.results',
  `select r.contact_id, ${RECIPIENT_STATUS} as status, ${RECIPIENT_CODE} as code, m.id as message_id,
          case when m.status in ('sent', 'delivered', 'read') then m.timestamp end as sent_at
     from ${RECIPIENTS}
    where r.campaign_id = $1 and r.tenant_id = $tenant and r.contact_id > $2 order by r.contact_id limit ${PAGE}`,
);

const COLUMNS = ['contactId', 'displayName', 'handle', 'status', 'code', 'messageId', 'sentAt'];
/** The results as CSV, read page by page while they are sent. */
export async function campaignResults(db: TenantDatabase, campaignId: string): Promise<Download> {
  const { id, channelId } = await requireCampaign(db, campaignId);
  const { kind } = await requireChannel(db.byKey, channelId);

  async function* pieces(): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    for (let after = BEFORE_ALL; ; ) {
      const rows = await db.all(resultsPage, [id, after]);
      const contacts = new Map(
        (
          await findContacts(
            db,
            rows.map((row) => row.contact_id),
          )
        ).map((contact) => [contact.id, contact]),
      );
      // A contact that is being erased has no line.
      const lines = rows.flatMap((row) => {
        const contact = contacts.get(row.contact_id);
        if (!contact) return [];
        const [handle] = reachedBy[kind].flatMap((type) =>
          contact.handles.filter((one) => one.type === type && one.isPrimary),
        );
        return csvLine([
          row.contact_id,
          contact.displayName,
          handle?.value ?? null,
          row.status,
          row.code,
          row.message_id,
          timestampOrNull(row.sent_at),
        ]);
      });
      if (lines.length > 0) yield lines.join('');
      if (rows.length < PAGE) return;
      after = (rows.at(-1) as ResultRow).contact_id;
    }
  }

  return { filename: `campaign-${id}.csv`, pieces: pieces() };
}
