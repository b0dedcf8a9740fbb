import {
  type AutomationRun,
  type Chat,
  getContactTimeline,
  searchAutomationRuns,
  searchAutomations,
} from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { client, useRead } from '../../api/api.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { contactIdOf } from '../../explain/event-about.ts';
import { RunLink } from '../../explain/run-link.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { addPatch } from '../../live/patches.ts';
import { runSoon } from '../../live/soon.ts';
import { useDescriptions } from '../../timeline/use-descriptions.ts';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './contact-panel.module.css';
import { Part } from './contact-part.tsx';

const READ = 50;
const SHOWN = 8;
const PAUSE_MS = 1_000;
const keyOf = (contactId: string) => ['activity', contactId] as const;

const readSoon = runSoon(
  PAUSE_MS,
  (contactId, cache: QueryClient) => void cache.invalidateQueries({ queryKey: keyOf(contactId) }),
);
addPatch(['contact.*', 'chat.*', 'note.*', 'message.*', 'automation.*'], (event, cache) => {
  const contactId = contactIdOf(event);
  if (contactId !== undefined) readSoon(contactId, cache);
});

/** What happened of late, except what the chat beside it shows; and which automations are at work. */
export function Activity({ chat }: { chat: Chat }) {
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
  const { describe, describeChange } = useDescriptions();
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
            <span>{describe(item)}</span>
            <span className={styles.muted} dir="auto">
              {item.text ?? item.changes.map(describeChange).join(', ')}
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
