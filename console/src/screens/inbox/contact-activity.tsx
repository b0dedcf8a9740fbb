import {
  type AutomationRun,
  type Chat,
  getContactTimeline,
  searchAutomationRuns,
  searchAutomations,
  type TimelineItem,
} from '@parley/sdk';
import { useRef } from 'react';
import { client, queryClient, useRead } from '../../api/api.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { RunLink } from '../../explain/run-link.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useEvents } from '../../live/patches.ts';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './contact-panel.module.css';
import { Part } from './contact-part.tsx';
import { useTeams, useUsers } from './data.ts';

const READ = 50;
const SHOWN = 8;
const PAUSE_MS = 1_000;
const keyOf = (contactId: string) => ['activity', contactId] as const;

/** What happens to the contact is read again a moment after an event about it. */
function useRefresh(contactId: string): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEvents(['contact.*', 'chat.*', 'note.*', 'message.*', 'automation.*'], ({ type, data }) => {
    const { id, contactId: about } = data as unknown as { id?: string; contactId?: string };
    if ((type.startsWith('contact.') ? id : about) !== contactId || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void queryClient.invalidateQueries({ queryKey: keyOf(contactId) });
    }, PAUSE_MS);
  });
}

/** What happened of late, except what the chat beside it shows; and which automations are at work. */
export function Activity({ chat }: { chat: Chat }) {
  useRefresh(chat.contactId);
  return (
    <>
      {useScope('automations:read') && <Runs contactId={chat.contactId} />}
      <Timeline chat={chat} />
    </>
  );
}

function Runs({ contactId }: { contactId: string }) {
  const t = useText();
  const automations = useAll(['automations'], searchAutomations).data;
  const runs = useRead([...keyOf(contactId), 'runs'], (signal) =>
    searchAutomationRuns(client, {
      body: {
        query: `and(eq(contactId,"${contactId}"),in(status,"scheduled","running","waiting"))`,
        pagination: { limit: SHOWN },
      },
      signal,
    }),
  ).data?.items;
  if (!runs?.length) return null;
  return (
    <Part title={t('activity.runs')}>
      <ul className={styles.list}>
        {runs.map((run) => (
          <li key={run.id} className={styles.entry}>
            <span dir="auto">
              <RunLink
                runId={run.id}
                automationId={run.automationId}
                name={
                  automations?.find(({ id }) => id === run.automationId)?.name ??
                  t('message.author.automation')
                }
              />
            </span>
            <span className={styles.muted}>
              {t(`activity.run.${run.status as RunningStatus}`)} · <RelativeTime at={run.updatedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
type RunningStatus = Extract<AutomationRun['status'], 'scheduled' | 'running' | 'waiting'>;

function Timeline({ chat: { id: chatId, contactId } }: { chat: Chat }) {
  const t = useText();
  const detailOf = useDetail();
  const items = useRead([...keyOf(contactId), 'timeline'], (signal) =>
    getContactTimeline(client, { path: { contactId }, query: { limit: READ }, signal }),
  ).data?.items;
  const shown = items?.filter((item) => item.chatId !== chatId || !/^(message|note)\./.test(item.type));
  if (!shown?.length) return null;
  return (
    <Part title={t('activity.title')}>
      <ol className={styles.list}>
        {shown.slice(0, SHOWN).map((item) => (
          <li key={item.id} className={styles.entry}>
            <span>{t(`activity.${item.type}`)}</span>
            <span className={styles.muted} dir="auto">
              {detailOf(item)}
            </span>
            <span className={styles.muted}>
              <RelativeTime at={item.createdAt} />
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** What is said about an entry besides what it is. */
function useDetail(): (item: TimelineItem) => string {
  const t = useText();
  const people = [...(useUsers().data ?? []), ...(useTeams().data ?? [])];
  const nameOf = (id: string | null): string | undefined => people.find((one) => one.id === id)?.name;
  return ({ type, text, author, changes }) => {
    if (text) return author?.name ? `${author.name}: ${text}` : text;
    if (type === 'chat.assigned') {
      const names = changes.flatMap(({ to }) => nameOf(to) ?? []);
      return names.length > 0 ? names.join(', ') : t('inbox.nobody');
    }
    if (type === 'chat.status_changed') {
      const to = changes.find(({ field }) => field === 'status')?.to;
      return to ? t(`inbox.status.${to as Chat['status']}`) : '';
    }
    if (/^contact\.(updated|labels_)/.test(type))
      return changes.map(({ field, to }) => `${field}: ${to ?? '–'}`).join(', ');
    return '';
  };
}
