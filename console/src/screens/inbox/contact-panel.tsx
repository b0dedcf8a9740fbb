import type { Chat, Contact } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useContact } from '../../api/contacts.ts';
import { useScope } from '../../api/session.tsx';
import { ContactForm } from '../../contact-form/contact-form.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { Activity } from './contact-activity.tsx';
import styles from './contact-panel.module.css';
import { Part } from './contact-part.tsx';
import { useChannels } from './data.ts';
import { LabelDot } from './label-dot.tsx';

interface ContactPanelProps {
  chat: Chat;
  search: Record<string, unknown>;
  onLabels: () => void;
  onClose: () => void;
}

/** Who the chat is with. */
export function ContactPanel({ chat, search, onLabels, onClose }: ContactPanelProps) {
  const t = useText();
  const canWrite = useScope('contacts:write');
  const [isEditing, setIsEditing] = useState(false);
  const { contactId } = chat;
  const whole = useContact(contactId);
  // Labels are changed in the chat at once; the rest is the same.
  const contact = { ...(whole.data ?? chat.contact), labels: chat.contact.labels };
  return (
    <aside className={styles.panel} aria-label={t('inbox.contact')}>
      <header className={styles.header}>
        <Avatar name={contact.displayName} id={contact.id} size="large" />
        <h2 className={styles.name} dir="auto">
          <Link to={`/contacts/${contactId}`}>{contact.displayName}</Link>
        </h2>
        {canWrite && whole.data && (
          <IconButton icon="edit" label={t('contact.edit')} onClick={() => setIsEditing(true)} />
        )}
        <IconButton icon="close" label={t('action.close')} onClick={onClose} />
      </header>
      <Part title={t('contact.handles')}>
        <ul className={styles.list}>
          {contact.handles.map(({ id, type, value, undeliverable }) => (
            <li key={id} className={styles.handle}>
              <span className={styles.muted}>{t(`contact.handle.${type}`)}</span>
              <span dir="auto">{value}</span>
              {undeliverable.length > 0 && (
                <span className={styles.bad} title={undeliverable.map(({ reason }) => reason).join('\n')}>
                  <Icon name="warning" /> {t('contact.undeliverable')}
                </span>
              )}
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t('contact.labels')}>
        <ul className={styles.labels}>
          {contact.labels.map(({ id, name, color }) => (
            <li key={id} className={styles.label} dir="auto">
              <LabelDot color={color} />
              {name}
            </li>
          ))}
          {canWrite && (
            <li>
              <Button look="quiet" icon="label" onClick={onLabels}>
                {t('contact.changeLabels')}
              </Button>
            </li>
          )}
        </ul>
      </Part>
      <Consent contact={contact} />
      <Attributes contact={contact} />
      <OtherChats chat={chat} contact={contact} search={search} />
      <Activity key={contactId} chat={chat} />
      {isEditing && whole.data && (
        <ContactForm
          contact={whole.data}
          onClose={() => setIsEditing(false)}
          onDone={() => setIsEditing(false)}
        />
      )}
    </aside>
  );
}

/** Whether marketing may be sent, per kind of channel. */
function Consent({ contact }: { contact: Contact }) {
  const t = useText();
  const ended = contact.subscriptions.filter(({ status }) => status === 'unsubscribed');
  return (
    <Part title={t('contact.consent')}>
      {ended.length === 0 ? (
        <p className={styles.good}>
          <Icon name="check" /> {t('contact.subscribed')}
        </p>
      ) : (
        <ul className={styles.list}>
          {ended.map(({ channelKind, at }) => (
            <li key={channelKind} className={styles.warn}>
              <Icon name="warning" />
              <span>
                {t(`kind.${channelKind}`)}: {t('contact.unsubscribed')} <RelativeTime at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function Attributes({ contact }: { contact: Contact }) {
  const { t, formatDate } = useTranslator();
  const rows = [
    ...contact.attributes.map(({ id, name, value }) => ({ id, name, value })),
    ...(contact.language ? [{ id: 'language', name: t('contact.language'), value: contact.language }] : []),
    ...(contact.timezone ? [{ id: 'timezone', name: t('contact.timezone'), value: contact.timezone }] : []),
    { id: 'since', name: t('contact.since'), value: formatDate(new Date(contact.createdAt)) },
  ];
  return (
    <Part title={t('contact.attributes')}>
      <dl className={styles.attributes}>
        {rows.map(({ id, name, value }) => (
          <div key={id}>
            <dt className={styles.muted} dir="auto">
              {name}
            </dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function OtherChats({
  chat,
  contact,
  search,
}: {
  chat: Chat;
  contact: Contact;
  search: Record<string, unknown>;
}) {
  const t = useText();
  const channels = useChannels().data;
  const others = contact.chats.filter(({ id }) => id !== chat.id);
  if (others.length === 0) return null;
  return (
    <Part title={t('contact.otherChats')}>
      <ul className={styles.list}>
        {others.map(({ id, channelId, status, updatedAt }) => {
          const channel = channels?.find((one) => one.id === channelId);
          return (
            <li key={id}>
              <Link
                to="/inbox/{-$chatId}"
                params={{ chatId: id } as never}
                search={search as never}
                className={styles.chat}
              >
                {channel && <ChannelKindLabel kind={channel.kind} />}
                <span className={styles.muted}>
                  {t(`inbox.status.${status as Chat['status']}`)} · <RelativeTime at={updatedAt} />
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
