import { type Channel, getMessage, type Message, sendMessage } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { isShownByFields, issueOf } from '../../api/errors.ts';
import { useScope, useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useEvents } from '../../live/patches.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { ErrorNotice, Loaded } from '../../ui/notices.tsx';
import { Section } from '../../ui/page.tsx';
import styles from './setup.module.css';

/** Vendors that let a business write only after the person has written. */
const ANSWERS_ONLY: ReadonlySet<Channel['kind']> = new Set(['whatsapp', 'instagram']);
const LOOKS: Partial<Record<Message['status'], 'good' | 'bad'>> = {
  sent: 'good',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
};

/** A message to oneself: it is sent like any other, and what becomes of it is shown. */
export function TestMessage({ channel }: { channel: Channel }) {
  const t = useText();
  const { person } = useWorkspace().session;
  const canSend = useScope('messages:write');
  const { kind, provider } = channel;
  const [to, setTo] = useState(kind === 'email' ? person.email : '');
  const [text, setText] = useState(t('channels.testText'));
  const send = useWrite(
    () =>
      sendMessage(client, {
        body: {
          channelId: channel.id,
          to: to.trim(),
          text: text.trim(),
          ...(kind === 'email' ? { email: { subject: t('channels.testSubject') } } : {}),
        },
      }),
    { showsError: true },
  );
  if (!canSend) return null;
  const needsMessage = ANSWERS_ONLY.has(kind) && provider !== 'sandbox';
  return (
    <Section
      title={t('channels.test')}
      text={t(needsMessage ? 'channels.testAnswersOnly' : 'channels.testHelp')}
    >
      <Form onSubmit={() => send.mutate()}>
        <TextField
          label={t(`channels.testTo.${kind}`)}
          value={to}
          onChange={(event) => setTo(event.target.value)}
          error={issueOf(send.error, 'to')}
          maxLength={255}
          autoComplete="off"
          required
        />
        <TextField
          label={t('channels.testMessage')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          error={issueOf(send.error, 'text')}
          maxLength={1000}
          required
        />
        <Button type="submit" icon="send" isBusy={send.isPending}>
          {t('channels.testSend')}
        </Button>
        {send.error && !isShownByFields(send.error, ['to', 'text']) ? (
          <ErrorNotice error={send.error} />
        ) : null}
      </Form>
      {send.data && <SentMessage key={send.data.id} messageId={send.data.id} />}
    </Section>
  );
}

function SentMessage({ messageId }: { messageId: string }) {
  const t = useText();
  const cache = useQueryClient();
  const key = ['channels', 'test', messageId];
  const message = useRead(key, (signal) => getMessage(client, { path: { messageId }, signal }));
  useEvents(['message.*'], (event) => {
    if ((event.data as Message).id === messageId) void cache.invalidateQueries({ queryKey: key });
  });
  return (
    <div role="status" className={styles.result}>
      <Loaded query={message} lines={1}>
        {({ status, error }) => (
          <>
            <p>
              <Badge look={LOOKS[status] ?? 'plain'}>{t(`channels.message.${status}`)}</Badge>
            </p>
            {error && <p className={styles.warning}>{error.message}</p>}
          </>
        )}
      </Loaded>
    </div>
  );
}
