import type { Channel, Contact } from '@parley/sdk';
import { type FormEvent, useEffect, useState } from 'react';
import type { ChannelKind } from '../api/channel-kinds.ts';
import { useCreateSandbox } from '../api/sandbox.ts';
import { useText } from '../i18n/i18n.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { EmptyState, Loaded } from '../ui/notices.tsx';
import {
  type Customer,
  DELIVERIES,
  type Delivery,
  HANDLE_TYPES,
  inventHandle,
  inventName,
  normalizeHandle,
} from './customer.ts';
import { usePlayable } from './data.ts';
import styles from './phone.module.css';

const SEARCH_DELAY_MS = 250;

interface PersonPickerProps {
  channels: readonly Channel[];
  /** The channel that is chosen first. */
  channelId: string | undefined;
  onPick: (customer: Customer) => void;
}

/** Whom to play, and where: a contact, or somebody who does not exist yet. */
export function PersonPicker({ channels, channelId, onPick }: PersonPickerProps) {
  const t = useText();
  const [chosen, setChosen] = useState(channelId);
  const [isInventing, setIsInventing] = useState(false);
  const [search, setSearch] = useState('');
  const wanted = useLater(search.trim());
  const channel =
    channels.find(({ id }) => id === chosen) ??
    channels.find(({ kind }) => kind === 'whatsapp') ??
    channels[0];
  if (!channel) return <NoSandbox onCreated={({ id }) => setChosen(id)} />;
  const kind = channel.kind as ChannelKind;
  return (
    <div className={styles.panel}>
      <h3>{t('phone.who')}</h3>
      <SelectField
        label={t('phone.channel')}
        value={channel.id}
        options={channels.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={setChosen}
      />
      {isInventing ? (
        <InventForm
          key={kind}
          kind={kind}
          onCancel={() => setIsInventing(false)}
          onDone={(from, name) => onPick({ channelId: channel.id, from, name, isNew: true })}
        />
      ) : (
        <>
          <Button look="primary" icon="plus" onClick={() => setIsInventing(true)}>
            {t('phone.invent')}
          </Button>
          <TextField
            label={t('phone.orContact')}
            type="search"
            placeholder={t('contacts.search')}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <Contacts
            search={wanted}
            kind={kind}
            onPick={(from, { id, displayName }) =>
              onPick({ channelId: channel.id, from, name: displayName, contactId: id })
            }
          />
        </>
      )}
    </div>
  );
}

/** A value once it has not changed for a moment: nobody searches for half a name. */
function useLater(value: string): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
}

/** The handles by which a contact can write on a kind of channel. */
const handlesFor = ({ handles }: Contact, kind: ChannelKind): string[] =>
  handles.filter(({ type }) => type === HANDLE_TYPES[kind]).map(({ value }) => value);

interface ContactsProps {
  search: string;
  kind: ChannelKind;
  onPick: (from: string, contact: Contact) => void;
}

function Contacts({ search, kind, onPick }: ContactsProps) {
  const t = useText();
  return (
    <Loaded query={usePlayable(search)}>
      {({ items }) => {
        const rows = items.flatMap((contact) => handlesFor(contact, kind).map((from) => ({ contact, from })));
        if (rows.length === 0) return <p className={styles.muted}>{t('phone.nobody')}</p>;
        return (
          <ul className={styles.contacts}>
            {rows.map(({ contact, from }) => (
              <li key={from}>
                <button type="button" className={styles.person} onClick={() => onPick(from, contact)}>
                  <Avatar name={contact.displayName} id={contact.id} size="small" />
                  <span className={styles.personText}>
                    <span dir="auto">{contact.displayName}</span>
                    {contact.displayName !== from && (
                      <span className={styles.muted} dir="auto">
                        {from}
                      </span>
                    )}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

interface InventFormProps {
  kind: ChannelKind;
  onCancel: () => void;
  onDone: (from: string, name: string) => void;
}

function InventForm({ kind, onCancel, onDone }: InventFormProps) {
  const t = useText();
  const [name, setName] = useState(inventName);
  const [delivery, setDelivery] = useState<Delivery>('reachable');
  const [from, setFrom] = useState(() => inventHandle(kind, 'reachable'));
  function submit(event: FormEvent): void {
    event.preventDefault();
    const handle = normalizeHandle(kind, from);
    onDone(handle, name.trim() || handle);
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={t('phone.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        maxLength={255}
        autoComplete="off"
        autoFocus
      />
      <TextField
        label={t(`contact.handle.${HANDLE_TYPES[kind]}`)}
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        {...(kind === 'email' && { type: 'email' })}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <SelectField
        label={t('phone.delivery')}
        help={t('phone.deliveryHelp')}
        value={delivery}
        options={DELIVERIES[kind].map((value) => ({ value, label: t(`phone.delivery.${value}`) }))}
        onChange={(next) => {
          setDelivery(next);
          setFrom(inventHandle(kind, next));
        }}
      />
      <div className={styles.buttons}>
        <Button look="primary" type="submit">
          {t('phone.play')}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {t('action.cancel')}
        </Button>
      </div>
    </form>
  );
}

function NoSandbox({ onCreated }: { onCreated: (channel: Channel) => void }) {
  const t = useText();
  const create = useCreateSandbox(onCreated);
  return (
    <EmptyState
      icon="phone"
      title={t('phone.noSandbox')}
      action={
        <Button look="primary" isBusy={create.isPending} onClick={() => create.mutate('whatsapp')}>
          <Icon name="plus" />
          {t('phone.createSandbox')}
        </Button>
      }
    >
      {t('phone.noSandboxText')}
    </EmptyState>
  );
}
