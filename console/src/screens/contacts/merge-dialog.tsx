import { type Contact, mergeContacts, searchContacts } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { CONTACTS_KEY, storeContact } from '../../api/contacts.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/notices.tsx';
import styles from './merge-dialog.module.css';
import { Pair } from './part.tsx';

const FOUND = 6;

/** Makes one contact of two. Begins with those of the same name; shows what would be before it is done. */
export function MergeDialog({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const t = useText();
  const cache = useQueryClient();
  const [text, setText] = useState(contact.displayName);
  const [other, setOther] = useState<Contact>();
  const search = useDeferredValue(text.trim().slice(0, 200));
  const found = useRead(
    [...CONTACTS_KEY, 'merge', search],
    (signal) => searchContacts(client, { body: { search, pagination: { limit: FOUND + 1 } }, signal }),
    { keepsPrevious: true },
  );
  const merge = useWrite(
    (fromContactId: string) =>
      mergeContacts(client, { path: { contactId: contact.id }, body: { fromContactId } }),
    {
      done: 'contacts.merged',
      showsError: true,
      invalidates: [[...CONTACTS_KEY, 'list']],
      onSuccess: ({ mergedChats: _, ...result }) => {
        storeContact(cache, result);
        onClose();
      },
    },
  );
  const name = contact.displayName;
  return (
    <FormDialog
      title={t('contacts.mergeTitle', { name })}
      submit={other ? t('contacts.mergeDo', { name: other.displayName }) : t('contacts.merge')}
      onSubmit={() => other && merge.mutate(other.id)}
      onClose={onClose}
      isBusy={merge.isPending}
      error={merge.error}
      isDanger
      isDisabled={!other}
    >
      <p>{t('contacts.mergeText', { name })}</p>
      <TextField
        label={t('contacts.mergeSearch')}
        type="search"
        value={text}
        onChange={(event) => setText(event.target.value)}
        maxLength={200}
        autoComplete="off"
      />
      <Loaded query={found} lines={3}>
        {({ items }) => (
          <Candidates
            contacts={items.filter(({ id }) => id !== contact.id).slice(0, FOUND)}
            chosenId={other?.id}
            onChoose={setOther}
          />
        )}
      </Loaded>
      {other && <Preview key={other.id} contact={contact} other={other} />}
    </FormDialog>
  );
}

interface CandidatesProps {
  contacts: readonly Contact[];
  chosenId: string | undefined;
  onChoose: (contact: Contact) => void;
}

function Candidates({ contacts, chosenId, onChoose }: CandidatesProps) {
  const t = useText();
  if (contacts.length === 0) return <p className={styles.muted}>{t('contacts.mergeNobody')}</p>;
  return (
    <fieldset className={styles.candidates}>
      <legend className="visually-hidden">{t('contacts.mergeOther')}</legend>
      {contacts.map((one) => (
        <label key={one.id} className={styles.candidate}>
          <input type="radio" name="other" checked={one.id === chosenId} onChange={() => onChoose(one)} />
          <Avatar name={one.displayName} id={one.id} />
          <span className={styles.who}>
            {one.displayName}
            <span className={styles.muted}>{one.handles.map(({ value }) => value).join(' · ')}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** What the contact would be. */
function Preview({ contact, other }: { contact: Contact; other: Contact }) {
  const t = useText();
  const result = useRead([...CONTACTS_KEY, 'merge', contact.id, other.id], (signal) =>
    mergeContacts(client, {
      path: { contactId: contact.id },
      body: { fromContactId: other.id, dryRun: true },
      signal,
    }),
  );
  return (
    <section className={styles.preview} aria-label={t('contacts.mergePreview')}>
      <Loaded query={result} lines={3}>
        {({ mergedChats, ...merged }) => (
          <>
            <h3>{t('contacts.mergePreview')}</h3>
            <dl className={styles.pairs}>
              <Pair name={t('contacts.name')} value={merged.displayName} />
              <Pair
                name={t('contacts.handles')}
                value={merged.handles.map(({ value }) => value).join(' · ') || '–'}
              />
              <Pair
                name={t('contacts.labels')}
                value={merged.labels.map((label) => label.name).join(', ') || '–'}
              />
              {merged.attributes.map(({ id, name, value }) => (
                <Pair key={id} name={name} value={value} />
              ))}
              <Pair
                name={t('contacts.chats')}
                value={
                  mergedChats.length === 0
                    ? merged.chats.length
                    : t('contacts.mergeChats', { count: mergedChats.length, total: merged.chats.length })
                }
              />
            </dl>
            <p>{t('contacts.mergeEnd', { name: other.displayName })}</p>
          </>
        )}
      </Loaded>
    </section>
  );
}
