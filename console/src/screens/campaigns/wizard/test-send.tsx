import { type CampaignWithCounts, searchContacts, type TestCampaignBody, testCampaign } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead, useWrite } from '../../../api/api.ts';
import { useWorkspace } from '../../../api/session.tsx';
import { useText } from '../../../i18n/i18n.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { useCampaign, useChannels, useRecipients } from '../data.ts';
import { STATUSES } from '../progress.tsx';
import { useReason } from '../reasons.ts';
import type { Draft } from './use-draft.ts';
import styles from './wizard.module.css';

const PHONE = /^\+?[\d\s()./-]{6,}$/;
const EMAIL = /^\S+@\S+\.\S+$/;

/** The same message to oneself, before everybody gets it. */
export function TestSend({ draft }: { draft: Draft }) {
  const t = useText();
  const { person } = useWorkspace().session;
  const kind = useChannels().data?.find(({ id }) => id === draft.campaign.channelId)?.kind;
  const [typed, setText] = useState<string>();
  const text = typed ?? (kind === 'email' ? person.email : '');
  const wanted = text.trim().slice(0, 200);
  const found = useRead(
    ['contacts', 'testSend', wanted],
    (signal) => searchContacts(client, { body: { search: wanted, pagination: { limit: 5 } }, signal }),
    { enabled: wanted.length > 2, keepsPrevious: true },
  );
  const send = useWrite(async (body: TestCampaignBody) => {
    await draft.flush();
    return testCampaign(client, { path: { campaignId: draft.campaign.id }, body });
  });
  const contacts = wanted.length > 2 ? (found.data?.items ?? []) : [];
  // Only what the channel can reach is worth a new contact.
  const isHandle = kind === 'email' ? EMAIL.test(wanted) : kind !== 'instagram' && PHONE.test(wanted);
  return (
    <section className={styles.column} aria-label={t('campaigns.test')}>
      <h2>{t('campaigns.test')}</h2>
      <TextField
        label={t('campaigns.testTo')}
        help={t('campaigns.testHelp')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        maxLength={200}
        autoComplete="off"
      />
      <ul className={styles.testContacts}>
        {contacts.map((contact) => (
          <li key={contact.id}>
            <Button
              icon="send"
              isBusy={send.isPending}
              onClick={() => send.mutate({ contactId: contact.id })}
            >
              {t('campaigns.testSend', { name: contact.displayName })}
            </Button>
          </li>
        ))}
        {contacts.length === 0 && isHandle && found.data && !found.isPlaceholderData && (
          <li>
            <Button icon="plus" isBusy={send.isPending} onClick={() => send.mutate({ to: wanted })}>
              {t('campaigns.testAdd', { name: wanted })}
            </Button>
          </li>
        )}
      </ul>
      {send.data && <TestResult key={send.data.id} test={send.data} />}
    </section>
  );
}

/** What became of the test; events tell. */
function TestResult({ test }: { test: CampaignWithCounts }) {
  const t = useText();
  const reasonOf = useReason();
  const campaign = useCampaign(test.id).data ?? test;
  const code = useRecipients(test.id, undefined).rows?.[0]?.code ?? null;
  const status = STATUSES.find((one) => campaign.recipientCounts[one] > 0) ?? 'queued';
  const isBad = status === 'failed' || status === 'skipped';
  return (
    <p role="status" className={styles.testResult}>
      <Badge look={isBad ? 'bad' : status === 'queued' ? 'plain' : 'good'}>
        {t(`campaigns.recipient.${status}`)}
      </Badge>
      {isBad && ` ${reasonOf(code)}`}
    </p>
  );
}
