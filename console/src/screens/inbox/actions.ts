import {
  addContactLabels,
  assignChat,
  type Chat,
  type Contact,
  markChat,
  pauseChatAutomation,
  removeContactLabel,
  setChatStatus,
} from '@parley/sdk';
import { client } from '../../api/api.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { useShowError, useToast } from '../../ui/toast.tsx';
import { findCachedChat, refreshChat, storeChat } from './chat-cache.ts';

export interface Assignment {
  userId?: string | null;
  teamId?: string | null;
}

/** What can be done with a chat. Everything is shown at once, and taken back if the server refuses it. */
export function useChatActions() {
  const { t, formatDate } = useTranslator();
  const toast = useToast();
  const showError = useShowError();

  async function change(chat: Chat, guess: Partial<Chat>, call: () => Promise<Chat>): Promise<boolean> {
    storeChat({ ...latest(chat), ...guess }, { isGuess: true });
    try {
      storeChat(await call());
      return true;
    } catch (error) {
      // Only what is still as it was guessed: others may have changed the rest meanwhile.
      const now = latest(chat);
      const guessed = (Object.keys(guess) as (keyof Chat)[]).filter((name) => now[name] === guess[name]);
      const before = Object.fromEntries(guessed.map((name) => [name, chat[name]]));
      storeChat({ ...now, ...before }, { isGuess: true });
      refreshChat(chat.id);
      showError(error);
      return false;
    }
  }
  const show = (text: string, undo: () => void): void =>
    toast({ text, action: { label: t('inbox.undo'), run: undo } });
  /** The chat as it is when somebody presses undo. */
  const latest = (chat: Chat): Chat => findCachedChat(chat.id) ?? chat;

  const setStatus = (chat: Chat, status: Chat['status'], snoozedUntil?: string): Promise<boolean> =>
    change(chat, { status, snoozedUntil: snoozedUntil ?? null }, () =>
      setChatStatus(client, {
        path: { chatId: chat.id },
        body: {
          status,
          triggerAutomations: status !== 'snoozed',
          ...(snoozedUntil === undefined ? {} : { snoozedUntil }),
        },
      }),
    );
  const restore = (chat: Chat) => (): void =>
    void setStatus(latest(chat), chat.status, chat.snoozedUntil ?? undefined);

  const setAssignment = (chat: Chat, { userId, teamId }: Assignment): Promise<boolean> =>
    change(
      chat,
      {
        ...(userId === undefined ? {} : { assignedUserId: userId }),
        ...(teamId === undefined ? {} : { assignedTeamId: teamId }),
      },
      () => assignChat(client, { path: { chatId: chat.id }, body: { userId, teamId } }),
    );

  return {
    async close(chat: Chat): Promise<void> {
      if (await setStatus(chat, 'closed')) show(t('inbox.closed'), restore(chat));
    },
    async reopen(chat: Chat): Promise<void> {
      if (await setStatus(chat, 'open')) toast({ text: t('inbox.opened') });
    },
    async snooze(chat: Chat, until: Date): Promise<void> {
      const text = t('inbox.snoozedUntil', { at: formatDate(until, 'dateTime') });
      if (await setStatus(chat, 'snoozed', until.toISOString())) show(text, restore(chat));
    },
    async assign(chat: Chat, assignment: Assignment, name: string | undefined): Promise<void> {
      const { assignedUserId, assignedTeamId } = chat;
      const text = name === undefined ? t('inbox.unassigned') : t('inbox.assignedTo', { name });
      if (await setAssignment(chat, assignment))
        show(
          text,
          () => void setAssignment(latest(chat), { userId: assignedUserId, teamId: assignedTeamId }),
        );
    },
    async mark(chat: Chat, isUnread: boolean): Promise<void> {
      await change(chat, { isUnread, unreadCount: isUnread ? chat.unreadCount : 0 }, () =>
        markChat(client, { path: { chatId: chat.id }, body: { isUnread } }),
      );
    },
    async pause(chat: Chat, isPaused: boolean): Promise<void> {
      const call = () => pauseChatAutomation(client, { path: { chatId: chat.id }, body: { isPaused } });
      if (await change(chat, { isAutomationPaused: isPaused }, call))
        toast({ text: t(isPaused ? 'inbox.paused' : 'inbox.handedBack') });
    },
    async setLabel(
      chat: Chat,
      label: { id: string; name: string; color: string | null },
      has: boolean,
    ): Promise<void> {
      const { id: contactId, labels } = chat.contact;
      const store = (contact: Contact): void => storeChat({ ...latest(chat), contact }, { isGuess: true });
      const others = labels.filter(({ id }) => id !== label.id);
      store({ ...chat.contact, labels: has ? [...others, label] : others });
      try {
        store(
          has
            ? await addContactLabels(client, { path: { contactId }, body: { labels: [{ id: label.id }] } })
            : await removeContactLabel(client, { path: { contactId, labelId: label.id } }),
        );
      } catch (error) {
        store(chat.contact);
        showError(error);
      }
      // Only the contact was answered, and what was being read may have been cancelled.
      refreshChat(chat.id);
    },
  };
}
