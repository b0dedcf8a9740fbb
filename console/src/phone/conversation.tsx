import { type Channel, type Message, readInSandbox } from '@parley/sdk';
import { type ReactNode, useEffect, useRef } from 'react';
import { client, useWrite } from '../api/api.ts';
import type { ChannelKind } from '../api/channel-kinds.ts';
import { useText } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice, Loaded, Skeleton } from '../ui/notices.tsx';
import { MessageBubble, WrittenBubble } from './bubble.tsx';
import type { Customer } from './customer.ts';
import { useChatOf, useMessagesOf, useSandbox } from './data.ts';
import styles from './phone.module.css';
import { Writer } from './writer.tsx';
import { forgetWritten, messagesOf, useWritten, type Written, write } from './written.ts';

interface ConversationProps {
  customer: Customer;
  channel: Channel;
  /** Whether somebody took the phone just now, and not another part of the screen. */
  takesFocus: React.RefObject<boolean>;
}

/** What the customer sees of the chat, and where the customer writes. */
export function Conversation({ customer, channel, takesFocus }: ConversationProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (takesFocus.current) field.current?.focus();
    takesFocus.current = false;
  }, [takesFocus]);
  const chat = useChatOf(customer);
  const written = useWritten(customer);
  const kind = channel.kind as ChannelKind;
  const name = customer.isNew && chat.data === null ? customer.name : undefined;
  return (
    <>
      <Loaded query={chat}>
        {(chatId) =>
          chatId === null ? (
            <Scroller>
              <Hello isEmpty={written.length === 0} />
              {written.map((one) => (
                <WrittenBubble key={one.key} written={one} />
              ))}
            </Scroller>
          ) : (
            <Messages key={chatId} chatId={chatId} customer={customer} written={written} />
          )
        }
      </Loaded>
      <Writer
        field={field}
        onSend={(text, files) => {
          for (const message of messagesOf(kind, text, files))
            write(customer, name, message.content, message.files);
        }}
      />
    </>
  );
}

function Hello({ isEmpty }: { isEmpty: boolean }) {
  const t = useText();
  return isEmpty ? <p className={styles.hello}>{t('phone.hello')}</p> : null;
}

/** Laid out from below, so that the newest message is seen. */
function Scroller({ children }: { children: ReactNode }) {
  const t = useText();
  return (
    <div
      className={styles.scroller}
      role="log"
      aria-label={t('phone.messages')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
      tabIndex={0}
    >
      <div className={styles.messages}>{children}</div>
    </div>
  );
}

interface MessagesProps {
  chatId: string;
  customer: Customer;
  written: readonly Written[];
}

function Messages({ chatId, customer, written }: MessagesProps) {
  const t = useText();
  const { rows, error, hasMore, isReadingMore, readMore, refetch } = useMessagesOf(chatId);
  const arrived = new Set(rows?.map(({ vendorId }) => vendorId));
  const missing = written.filter(({ vendorId }) => vendorId === undefined || !arrived.has(vendorId));
  const known = written.flatMap(({ vendorId }) => (vendorId && arrived.has(vendorId) ? [vendorId] : []));
  const knownKey = known.join();
  useEffect(() => {
    for (const vendorId of knownKey.split(',')) forgetWritten(vendorId);
  }, [knownKey]);
  if (!rows) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Skeleton lines={5} />;
  const shown = rows.filter(isShown).toReversed();
  return (
    <>
      <Scroller>
        {hasMore && (
          <Button look="quiet" isBusy={isReadingMore} onClick={readMore}>
            {t('phone.earlier')}
          </Button>
        )}
        {shown.map((message) => (
          <MessageBubble
            key={message.id}
            message={message}
            onTap={(content) => write(customer, undefined, content)}
          />
        ))}
        {missing.map((one) => (
          <WrittenBubble key={one.key} written={one} />
        ))}
      </Scroller>
      <ReadBar customer={customer} messages={shown} />
    </>
  );
}

/** What is sent later is nothing for the customer yet. */
const isShown = ({ sender, status, scheduledAt }: Message): boolean =>
  sender !== 'system' && !(status === 'queued' && scheduledAt !== null);

const isUnread = ({ sender, status }: Message): boolean =>
  sender === 'outbound' && (status === 'sent' || status === 'delivered');

/** Where customers do not read by themselves, one does it by hand. */
function ReadBar({ customer, messages }: { customer: Customer; messages: readonly Message[] }) {
  const t = useText();
  const { channelId, from } = customer;
  const sandbox = useSandbox(channelId).data;
  const read = useWrite(() => readInSandbox(client, { path: { channelId }, body: { from } }));
  const count = messages.filter(isUnread).length;
  if (sandbox?.readsAutomatically !== false || count === 0) return null;
  return (
    <div className={styles.strip}>
      <span>{t('phone.unread', { count })}</span>
      <Button look="quiet" icon="check" isBusy={read.isPending} onClick={() => read.mutate()}>
        {t('phone.read')}
      </Button>
    </div>
  );
}
