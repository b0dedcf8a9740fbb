// Declares the statement that our server runs, so that the bare route runs exactly the same.
import '../../src/chats/chat.ts';
import { declaredStatements } from '../../src/db/statement.ts';

export function chatStatement(): { name: string; text: string } {
  const found = declaredStatements().find(({ name }) => name === 'chats.by_id');
  if (!found) throw new Error('The statement chats.by_id is not declared any more.');
  return found;
}

const time = (value: string | Date): string => new Date(value).toISOString();

/** A row of that statement as the API returns it, with as little code as possible. */
// biome-ignore lint/suspicious/noExplicitAny: a bare program trusts its own statement
export function chatJson(row: any): object {
  const p = row.contact;
  const m = row.latest_message;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const handles = p.handles.map((h: any) => ({
    id: h.id,
    createdAt: time(h.created_at),
    updatedAt: time(h.updated_at),
    type: h.type,
    isPrimary: h.is_primary,
    value: h.value,
    extra: h.extra,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    hasChats: p.chats.some((c: any) => c.handle_id === h.id),
    undeliverable: [],
  }));
  const firstOf = (type: string): string | null =>
    handles.find((h: { type: string }) => h.type === type)?.value ?? null;
  const fullName = `${p.first_name} ${p.last_name}`;
  const handle = handles.find((h: { id: string }) => h.id === row.handle_id);
  return {
    id: row.id,
    createdAt: time(row.created_at),
    updatedAt: time(row.updated_at),
    status: row.status,
    isUnread: row.marked_unread || row.unread_count > 0,
    snoozedUntil: row.snoozed_until && time(row.snoozed_until),
    openUntil: row.open_until && time(row.open_until),
    unreadCount: row.unread_count,
    channelId: row.channel_id,
    contactId: row.contact_id,
    contact: {
      id: p.id,
      createdAt: time(p.created_at),
      updatedAt: time(p.updated_at),
      firstName: p.first_name,
      lastName: p.last_name,
      fullName,
      displayName: fullName,
      language: p.language,
      timezone: p.timezone,
      isSubscribed: p.is_subscribed,
      subscriptions: [],
      handles,
      labels: p.labels,
      attributes: p.attributes,
      phoneNumber: firstOf('phone_number'),
      email: firstOf('email'),
      // biome-ignore lint/suspicious/noExplicitAny: as above
      chats: p.chats.map((c: any) => ({
        id: c.id,
        channelId: c.channel_id,
        status: c.status,
        updatedAt: time(c.updated_at),
      })),
      metadata: p.metadata,
    },
    handleId: row.handle_id,
    handle,
    latestMessage: m && {
      id: m.id,
      chatId: m.chat_id,
      channelId: m.channel_id,
      contactId: m.contact_id,
      contact: {
        id: p.id,
        displayName: fullName,
        phoneNumber: firstOf('phone_number'),
        email: firstOf('email'),
      },
      handle: handle && { type: handle.type, value: handle.value },
      vendorId: m.vendor_id,
      sender: m.sender,
      author: {
        type: m.author,
        id: m.author === 'contact' ? p.id : m.author_id,
        name: m.author === 'contact' ? fullName : m.author_name,
      },
      purpose: m.purpose,
      isAutomatic: m.is_automatic,
      type: m.type,
      text: m.text,
      media: m.media,
      content: m.content,
      status: m.status,
      error: m.error,
      replyToMessageId: m.reply_to_message_id,
      timestamp: time(m.timestamp),
      scheduledAt: m.scheduled_at && time(m.scheduled_at),
      editedAt: m.edited_at && time(m.edited_at),
      deletedAt: m.deleted_at && time(m.deleted_at),
      createdAt: time(m.created_at),
      updatedAt: time(m.updated_at),
    },
    assignedUserId: row.assigned_user_id,
    assignedTeamId: row.assigned_team_id,
    isSensitive: row.is_sensitive,
    isAutomationPaused: row.automation_pause ?? row.assigned_user_id !== null,
    waitingSince: row.waiting_since && time(row.waiting_since),
    firstRespondedAt: row.first_responded_at && time(row.first_responded_at),
    closedAt: row.closed_at && time(row.closed_at),
  };
}
