import { type Contact, searchContacts } from '@parley/sdk';
import { useDeferredValue, useState } from 'react';
import { client, useRead } from '../../../api/api.ts';
import { useText } from '../../../i18n/i18n.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Loaded } from '../../../ui/notices.tsx';
import styles from './runs.module.css';

const FOUND = 6;

interface ContactFieldProps {
  contact: Contact | undefined;
  error: string | undefined;
  onChange: (contact: Contact | undefined) => void;
}

/** Chooses a contact by typing a part of its name, number or address. */
export function ContactField({ contact, error, onChange }: ContactFieldProps) {
  const t = useText();
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim().slice(0, 200));
  const found = useRead(
    ['contacts', 'try', search],
    (signal) =>
      searchContacts(client, {
        body: { ...(search !== '' && { search }), pagination: { limit: FOUND } },
        signal,
      }),
    { keepsPrevious: true, enabled: contact === undefined },
  );
  if (contact)
    return (
      <div className={styles.contact}>
        <Avatar name={contact.displayName} id={contact.id} />
        <span className={styles.contactName} dir="auto">
          {contact.displayName}
        </span>
        <IconButton icon="close" label={t('try.contactChange')} onClick={() => onChange(undefined)} />
      </div>
    );
  return (
    <div className={styles.picker}>
      <TextField
        label={t('try.contact')}
        type="search"
        placeholder={t('try.contactSearch')}
        value={text}
        error={error}
        onChange={(event) => setText(event.target.value)}
        maxLength={200}
        autoComplete="off"
      />
      <Loaded query={found} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={styles.muted}>{t('try.contactNone')}</p>
          ) : (
            <ul className={styles.found}>
              {items.map((one) => (
                <li key={one.id}>
                  <button type="button" className={styles.foundContact} onClick={() => onChange(one)}>
                    <Avatar name={one.displayName} id={one.id} size="small" />
                    <span className={styles.contactName} dir="auto">
                      {one.displayName}
                    </span>
                    <span className={styles.handle} dir="auto">
                      {one.handles.find(({ value }) => value !== one.displayName)?.value}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
