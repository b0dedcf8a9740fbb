import { type Channel, type Contact, createContact, searchContacts } from '@parley/sdk';
import { useDeferredValue, useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { isReachable } from '../../api/channel-kinds.ts';
import { describeError } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useStartChat } from '../../api/start-chat.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useChannels } from './data.ts';
import { type Choice, Picker } from './picker.tsx';

const SHOWN = 8;
const PHONE = /^\+?[\d\s()./-]{6,}$/;
const EMAIL = /^\S+@\S+\.\S+$/;
const NEW = 'new';

/** Writes first: to a contact, or to a number or an address that nobody has yet. */
export function NewChatDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const channels = useChannels().data ?? [];
  const [contact, setContact] = useState<Contact>();
  const start = useStartChat();
  const usable = (of: Contact): Channel[] => channels.filter(({ kind }) => isReachable(of.handles, kind));
  // It stays open until the chat is: who closes it earlier is not led there.
  const open = (channelId: string, of: Contact): void =>
    start.mutate({ contactId: of.id, channelId }, { onSuccess: onClose });
  const choose = (chosen: Contact): void => {
    const [only, ...others] = usable(chosen);
    if (only && others.length === 0) open(only.id, chosen);
    else setContact(chosen);
  };
  if (!contact) return <ContactPicker isBusy={start.isPending} onPick={choose} onClose={onClose} />;
  return (
    <Picker
      title={t('newChat.channelOf', { name: contact.displayName })}
      placeholder={t('newChat.channel')}
      choices={usable(contact).map(({ id, kind, name, address }) => ({
        id,
        label: name,
        detail: `${t(`kind.${kind}`)} · ${address}`,
        picture: <Icon name={kind} />,
      }))}
      empty={t('newChat.noChannel')}
      isBusy={start.isPending}
      onPick={(channelId) => open(channelId, contact)}
      onClose={onClose}
    />
  );
}

/** Whether two texts are the same number or address, however they are written. */
const isSameHandle = (one: string, other: string): boolean => {
  const plain = (text: string): string =>
    PHONE.test(text) ? text.replace(/\D/g, '').replace(/^00/, '') : text.toLowerCase();
  return plain(one) === plain(other);
};

interface ContactPickerProps {
  /** The chat with who was picked is being opened. */
  isBusy: boolean;
  onPick: (contact: Contact) => void;
  onClose: () => void;
}

function ContactPicker({ isBusy, onPick, onClose }: ContactPickerProps) {
  const t = useText();
  const canCreate = useScope('contacts:write');
  const [text, setText] = useState('');
  const typed = text.trim().slice(0, 200);
  const wanted = useDeferredValue(typed);
  const found = useRead(
    ['contacts', 'newChat', wanted],
    (signal) => {
      const search = wanted === '' ? {} : { search: wanted };
      return searchContacts(client, {
        body: { ...search, pagination: { limit: SHOWN, withTotal: false } },
        signal,
      });
    },
    { keepsPrevious: true },
  );
  const create = useWrite(
    (handle: string) =>
      createContact(client, { body: EMAIL.test(handle) ? { email: handle } : { phoneNumber: handle } }),
    { onSuccess: onPick },
  );
  const contacts = found.data?.items ?? [];
  const isHandle = PHONE.test(wanted) || EMAIL.test(wanted);
  const choices: Choice[] = contacts.map(({ id, displayName, handles }) => ({
    id,
    label: displayName,
    detail: handles.map(({ value }) => value).join(' · '),
    picture: <Avatar name={displayName} id={id} size="small" />,
  }));
  const isFound = found.isSuccess && !found.isPlaceholderData;
  // Somebody else's number or address may contain it; the server refuses one that somebody has.
  const isTaken = contacts.some(({ handles }) => handles.some(({ value }) => isSameHandle(value, wanted)));
  if (canCreate && isHandle && isFound && !isTaken)
    choices.push({ id: NEW, label: t('newChat.add', { text: wanted }), picture: <Icon name="plus" /> });
  return (
    <Picker
      title={t('newChat.title')}
      placeholder={t('newChat.whom')}
      choices={choices}
      empty={found.error ? describeError(found.error, t) : found.isPending ? '' : t('newChat.nobody')}
      onText={setText}
      isWaiting={typed !== wanted || found.isPending || found.isPlaceholderData}
      isBusy={isBusy || create.isPending}
      onPick={(id) => {
        const contact = contacts.find((one) => one.id === id);
        if (contact) onPick(contact);
        else create.mutate(wanted);
      }}
      onClose={onClose}
    />
  );
}
