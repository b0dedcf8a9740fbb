import { presentRun, RUN_COLUMNS, type RunRow } from '../../automations/runs/run.ts';
import { ApiError } from '../../base/errors.ts';
import { findChats } from '../../chats/chat.ts';
import { type Statement, statement } from '../../db/statement.ts';
import type { TenantDatabase } from '../../db/tenant.ts';
import type { Download } from '../../http/download.ts';
import { hasScope, lacksScope, type Principal, type Scope } from '../../http/permissions.ts';
import { timestamp } from '../../http/schema.ts';
import { MESSAGE_COLUMNS, type MessageRow, presentMessage } from '../../messages/message.ts';
import { NOTE_COLUMNS, type NoteRow, presentNote } from '../../notes/note.ts';
import { CONSENT_COLUMNS, type ConsentRow, presentConsent } from '../consent/history.ts';
import { requireContact } from '../contact.ts';

/** How many rows are in memory at once. */
const PAGE = 200;
/** What the file contains. */
const NEEDED: readonly Scope[] = ['chats:read', 'messages:read', 'automations:read', 'campaigns:read'];

interface Cursor {
  id: string;
  cursor_at: string;
}
const START: Cursor = { id: '00000000-0000-0000-0000-000000000000', cursor_at: '-infinity' };

type ReadPage<Row> = Statement<[contactId: string, afterAt: string, afterId: string], Row & Cursor>;

/** The rows `x` of a contact in the order of creation, a page at a time. */
const pageOf = <Row>(name: string, columns: string, from: string, condition: string): ReadPage<Row> =>
  statement(
    `contact_data.${name}`,
    `select ${columns}, x.created_at::text as cursor_at from ${from}
      where ${condition} and (x.created_at, x.id) > ($2::timestamptz, $3::uuid)
      order by x.created_at, x.id limit ${PAGE}`,
  );

/** Columns that are written with another alias. */
const renameAlias = (columns: string, alias: string): string =>
  columns.replaceAll(new RegExp(`\\b${alias}\\.`, 'g'), 'x.');

// The tenant is compared with `is true` where an index by contact leads to the rows: one by tenant would read all of its rows.
const OF_CONTACT = 'x.contact_id = $1 and (x.tenant_id = $tenant) is true';

const consents = pageOf<ConsentRow>(
  'consents',
  renameAlias(CONSENT_COLUMNS, 'c'),
  'visible_consents x',
  'x.contact_id = $1 and x.tenant_id = $tenant',
);
const chats = pageOf<{ id: string }>('chats', 'x.id', 'visible_chats x', OF_CONTACT);
const messages = pageOf<MessageRow>(
  'messages',
  renameAlias(MESSAGE_COLUMNS, 'm'),
  'visible_messages x',
  'x.contact_id = $1 and x.tenant_id = $tenant',
);
const notes = pageOf<NoteRow>(
  'notes',
  renameAlias(NOTE_COLUMNS, 'n'),
  'visible_notes x',
  `x.tenant_id = $tenant and x.contact_id = $1
      and x.chat_id = any (array(select k.id from visible_chats k where k.contact_id = $1 and (k.tenant_id = $tenant) is true))`,
);
const runs = pageOf<RunRow>('runs', renameAlias(RUN_COLUMNS, 'r'), 'visible_automation_runs x', OF_CONTACT);
const campaigns = pageOf<{ id: string; name: string; created_at: Date }>(
  'campaigns',
  'x.id, x.name, x.created_at',
  `(select r.campaign_id as id, r.contact_id, r.tenant_id, r.created_at, c.name
      from visible_recipients r join visible_campaigns c on c.id = r.campaign_id) x`,
  OF_CONTACT,
);
const events = pageOf<{ id: string; type: string; created_at: Date; data: string }>(
  'events',
  'x.id, x.type, x.created_at, x.data',
  'visible_events x',
  `${OF_CONTACT} and x.sequence is not null`,
);
const mergedIds = statement<[contactId: string], { id: string }>(
  'contact_data.merged',
  'select id from merged_contacts where contact_id = $1 and tenant_id = $tenant order by id',
);

type Section = [
  name: string,
  read: (after: Cursor) => Promise<{ items: unknown[]; last: Cursor | undefined }>,
];

/** The lists of the file, in their order. */
function sectionsOf(db: TenantDatabase, contactId: string): Section[] {
  const section = <Row extends Cursor>(
    name: string,
    page: Statement<[contactId: string, afterAt: string, afterId: string], Row>,
    present: (rows: Row[]) => unknown[] | Promise<unknown[]>,
  ): Section => [
    name,
    async ({ cursor_at, id }) => {
      const rows = await db.all(page, [contactId, cursor_at, id]);
      return { items: await present(rows), last: rows.length < PAGE ? undefined : rows.at(-1) };
    },
  ];
  return [
    section('consents', consents, (rows) => rows.map(presentConsent)),
    section('chats', chats, (rows) =>
      findChats(
        db,
        rows.map(({ id }) => id),
      ),
    ),
    section('messages', messages, (rows) => rows.map((row) => presentMessage(row, db))),
    section('notes', notes, (rows) => rows.map(presentNote)),
    section('automationRuns', runs, (rows) => rows.map(presentRun)),
    section('campaigns', campaigns, (rows) =>
      rows.map(({ id, name, created_at }) => ({ id, name, createdAt: timestamp(created_at) })),
    ),
    section('events', events, (rows) =>
      rows.map(({ id, type, created_at, data }) => ({
        id,
        type,
        createdAt: timestamp(created_at),
        data: JSON.parse(data),
      })),
    ),
  ];
}

/**
 * Everything that is stored about a contact as one JSON file, which is read a page at a time while it is sent. Callers who do not
 * see all channels must not have it.
 */
export async function exportContactData(
  db: TenantDatabase,
  contactId: string,
  principal: Principal,
): Promise<Download> {
  const contact = await requireContact(db, contactId);
  if (principal.channelIds !== undefined)
    throw new ApiError('forbidden', { detail: 'the data of a contact needs access to all channels' });
  const missing = NEEDED.find((scope) => !hasScope(principal, scope));
  if (missing) throw new ApiError('forbidden', { detail: lacksScope(missing) });
  const merged = await db.all(mergedIds, [contact.id]);

  async function* pieces(): AsyncGenerator<string> {
    const head = {
      exportedAt: timestamp(db.now),
      contact,
      mergedContactIds: merged.map(({ id }) => id),
    };
    yield `{"success":true,"data":${JSON.stringify(head).slice(0, -1)}`;
    for (const [name, read] of sectionsOf(db, contact.id)) {
      yield `,\n${JSON.stringify(name)}:[`;
      let separator = '';
      for (let after: Cursor | undefined = START; after !== undefined; ) {
        const { items, last } = await read(after);
        if (items.length > 0) yield separator + items.map((item) => JSON.stringify(item)).join(',\n');
        separator = ',\n';
        after = last;
      }
      yield ']';
    }
    yield '}}\n';
  }

  return { filename: `contact-${contact.id}.json`, pieces: pieces() };
}
