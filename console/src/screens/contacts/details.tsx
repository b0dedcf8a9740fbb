import {
  addContactLabels,
  type Contact,
  clearUndeliverable,
  recordConsent,
  removeContactLabel,
  type Subscription,
  searchChannels,
  searchLabels,
} from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client, useWrite } from '../../api/api.ts';
import { CHANNEL_KINDS, isReachable } from '../../api/channel-kinds.ts';
import { basePath } from '../../api/client.ts';
import { storeContact } from '../../api/contacts.ts';
import { useAll } from '../../api/lists.ts';
import { useCanExport, useScope, useWorkspace } from '../../api/session.tsx';
import { useStartChat } from '../../api/start-chat.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { classes } from '../../ui/classes.ts';
import { LabelTag } from '../../ui/label-tag.tsx';
import { Menu } from '../../ui/menu.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './drawer.module.css';
import { Pair, Part } from './part.tsx';
import { Runs } from './runs.tsx';

/** What is known about a contact. */
export function Details({ contact }: { contact: Contact }) {
  const { t, formatDate } = useTranslator();
  return (
    <>
      <Handles contact={contact} />
      <Labels contact={contact} />
      <Part title={t('contacts.attributes')}>
        {contact.attributes.length === 0 ? (
          <p className={styles.muted}>{t('contacts.noAttributes')}</p>
        ) : (
          <dl className={styles.pairs}>
            {contact.attributes.map(({ id, name, value }) => (
              <Pair key={id} name={name} value={value} />
            ))}
          </dl>
        )}
      </Part>
      <Consents contact={contact} />
      <Chats contact={contact} />
      <Runs contactId={contact.id} />
      <Part title={t('contacts.details')}>
        <dl className={styles.pairs}>
          {contact.language !== null && <Pair name={t('contacts.language')} value={contact.language} />}
          {contact.timezone !== null && <Pair name={t('contacts.timezone')} value={contact.timezone} />}
          <Pair name={t('contacts.created')} value={formatDate(new Date(contact.createdAt))} />
          <Pair name={t('contacts.changed')} value={<RelativeTime at={contact.updatedAt} />} />
        </dl>
        <DownloadData contactId={contact.id} />
      </Part>
    </>
  );
}

/** Everything that is stored about a person, for those who ask for it. */
function DownloadData({ contactId }: { contactId: string }) {
  const t = useText();
  const { tenantId } = useWorkspace().membership;
  if (!useCanExport()) return null;
  const href = `${basePath}/v3/contacts/${contactId}/export?${new URLSearchParams({ tenantId })}`;
  return (
    <div>
      <LinkButton icon="download" href={href} download title={t('contacts.dataHelp')}>
        {t('contacts.data')}
      </LinkButton>
    </div>
  );
}

function Handles({ contact: { id: contactId, handles } }: { contact: Contact }) {
  const t = useText();
  const canWrite = useScope('contacts:write');
  const clear = useContactWrite((handleId: string) =>
    clearUndeliverable(client, { path: { contactId, handleId } }),
  );
  return (
    <Part title={t('contacts.handles')}>
      {handles.length === 0 && <p className={styles.muted}>{t('contacts.noHandles')}</p>}
      <dl className={styles.pairs}>
        {handles.map(({ id, type, value, isPrimary, undeliverable }) => (
          <Pair
            key={id}
            name={t(`contacts.handle.${type}`)}
            value={
              <>
                {value}{' '}
                {isPrimary && handles.filter((one) => one.type === type).length > 1 && (
                  <Badge>{t('contacts.primary')}</Badge>
                )}
                {undeliverable.map(({ channelKind, reason }) => (
                  <div key={channelKind}>
                    <Badge look="bad">{t('contacts.undeliverable', { reason })}</Badge>
                  </div>
                ))}
                {canWrite && undeliverable.length > 0 && (
                  <Button look="quiet" isBusy={clear.isPending} onClick={() => clear.mutate(id)}>
                    {t('contacts.deliverAgain')}
                  </Button>
                )}
              </>
            }
          />
        ))}
      </dl>
    </Part>
  );
}

/** Changes the contact, and shows at once what the answer says. */
function useContactWrite<A>(write: (argument: A) => Promise<Contact>) {
  const cache = useQueryClient();
  return useWrite(write, { onSuccess: (contact) => storeContact(cache, contact) });
}

function Labels({ contact }: { contact: Contact }) {
  const t = useText();
  const canWrite = useScope('contacts:write');
  const labels = useAll(['labels'], searchLabels);
  const path = { contactId: contact.id };
  const add = useContactWrite((id: string) => addContactLabels(client, { path, body: { labels: [{ id }] } }));
  const remove = useContactWrite((labelId: string) =>
    removeContactLabel(client, { path: { ...path, labelId } }),
  );
  const others = (labels.data ?? []).filter(({ id }) => !contact.labels.some((label) => label.id === id));
  return (
    <Part title={t('contacts.labels')}>
      <div className={styles.labels}>
        {contact.labels.length === 0 && <span className={styles.muted}>{t('contacts.noLabels')}</span>}
        {contact.labels.map(({ id, name, color }) => (
          <LabelTag
            key={id}
            name={name}
            color={color}
            onRemove={canWrite ? () => remove.mutate(id) : undefined}
            removeText={t('contacts.removeLabel', { name })}
          />
        ))}
        {canWrite && others.length > 0 && (
          <Menu
            label={t('contacts.addLabel')}
            className={styles.add}
            items={others.map(({ id, name }) => ({
              id,
              label: name,
              icon: 'label' as const,
              run: () => add.mutate(id),
            }))}
          >
            + {t('contacts.addLabel')}
          </Menu>
        )}
      </div>
    </Part>
  );
}

/** What is missing counts as subscribed. */
function Consents({ contact }: { contact: Contact }) {
  const t = useText();
  const canWrite = useScope('contacts:write');
  const record = useContactWrite(({ channelKind, status }: Pick<Subscription, 'channelKind' | 'status'>) =>
    recordConsent(client, { path: { contactId: contact.id }, body: { channelKinds: [channelKind], status } }),
  );
  return (
    <Part title={t('contacts.consent')}>
      <ul className={styles.rows}>
        {CHANNEL_KINDS.map((channelKind) => {
          const found = contact.subscriptions.find((one) => one.channelKind === channelKind);
          const isOut = found?.status === 'unsubscribed';
          const kind = t(`kind.${channelKind}`);
          return (
            <li key={channelKind} className={styles.row}>
              <ChannelKindLabel kind={channelKind} />
              <span className={styles.state}>
                <Badge look={isOut ? 'warn' : 'good'}>
                  {t(isOut ? 'contacts.unsubscribed' : 'contacts.subscribed')}
                </Badge>{' '}
                {found && (
                  <span className={styles.muted}>
                    <RelativeTime at={found.at} />
                  </span>
                )}
              </span>
              {canWrite && (
                <Button
                  look="quiet"
                  aria-label={t(isOut ? 'contacts.subscribeTo' : 'contacts.unsubscribeFrom', { kind })}
                  isBusy={record.isPending && record.variables.channelKind === channelKind}
                  onClick={() =>
                    record.mutate({ channelKind, status: isOut ? 'subscribed' : 'unsubscribed' })
                  }
                >
                  {t(isOut ? 'contacts.subscribe' : 'contacts.unsubscribe')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}

const STATUSES = ['open', 'snoozed', 'closed'] as const;
const isStatus = (status: string): status is (typeof STATUSES)[number] =>
  STATUSES.some((known) => known === status);

function Chats({ contact: { id: contactId, chats, handles } }: { contact: Contact }) {
  const t = useText();
  const canWrite = useScope('chats:write');
  const start = useStartChat();
  const channels = useAll(['channels'], searchChannels, { enabled: useScope('channels:read') });
  const others = (channels.data ?? []).filter(
    ({ id, kind }) => isReachable(handles, kind) && !chats.some(({ channelId }) => channelId === id),
  );
  return (
    <Part title={t('contacts.chats')}>
      {chats.length === 0 && <p className={styles.muted}>{t('contacts.noChats')}</p>}
      <ul className={styles.rows}>
        {chats.map(({ id, channelId, status, updatedAt }) => {
          const channel = channels.data?.find((one) => one.id === channelId);
          return (
            <li key={id} className={classes(styles.row, styles.chatRow)}>
              <Link to={`/inbox/${id}`} className={styles.chat}>
                {channel?.name ?? t('contacts.chats')}
              </Link>
              <span className={styles.state}>
                {isStatus(status) && (
                  <Badge look={status === 'open' ? 'good' : 'plain'}>
                    {t(`contacts.chatStatus.${status}`)}
                  </Badge>
                )}
              </span>
              <span className={styles.muted}>
                <RelativeTime at={updatedAt} />
              </span>
            </li>
          );
        })}
      </ul>
      {canWrite && others.length > 0 && (
        <div>
          <Menu
            label={t('contacts.startChat')}
            className={styles.add}
            items={others.map(({ id, kind, name }) => ({
              id,
              label: name,
              icon: kind,
              run: () => start.mutate({ contactId, channelId: id }),
            }))}
          >
            + {t('contacts.startChat')}
          </Menu>
        </div>
      )}
    </Part>
  );
}
