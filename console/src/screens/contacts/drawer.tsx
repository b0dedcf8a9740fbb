import { type Contact, deleteContact } from '@parley/sdk';
import { useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { CONTACTS_KEY, useContact } from '../../api/contacts.ts';
import { statusOf } from '../../api/errors.ts';
import { useScope, useWorkspace } from '../../api/session.tsx';
import { useTitle } from '../../app/title.ts';
import { ContactForm } from '../../contact-form/contact-form.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Drawer, DrawerTop } from '../../ui/split.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Details } from './details.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { Timeline } from './timeline.tsx';

export const contactTabs = ['details', 'timeline'] as const;
export type ContactTab = (typeof contactTabs)[number];

interface DrawerProps {
  contactId: string;
  tab: ContactTab;
  onTab: (tab: ContactTab) => void;
  onClose: () => void;
}

/** One contact, with everything that is known about it. */
export function ContactDrawer({ contactId, ...rest }: DrawerProps) {
  const t = useText();
  const query = useContact(contactId);
  const isGone = [400, 404].includes(statusOf(query.error) ?? 0);
  return (
    <Drawer label={query.data?.displayName ?? t('contacts.details')}>
      {isGone ? (
        <EmptyState
          icon="contacts"
          title={t('contacts.gone')}
          action={<Button onClick={rest.onClose}>{t('contacts.close')}</Button>}
        >
          {t('contacts.goneText')}
        </EmptyState>
      ) : (
        <Loaded query={query} lines={8}>
          {(contact) => <OneContact contact={contact} {...rest} />}
        </Loaded>
      )}
    </Drawer>
  );
}

interface OneContactProps extends Omit<DrawerProps, 'contactId'> {
  contact: Contact;
}

function OneContact({ contact, tab, onTab, onClose }: OneContactProps) {
  const t = useText();
  useTitle(contact.displayName);
  const { membership } = useWorkspace();
  const canWrite = useScope('contacts:write');
  const canErase = useScope('contacts:delete');
  // Chats of all channels move.
  const canMerge = canWrite && membership.channelIds === null;
  const [opened, setOpened] = useState<'edit' | 'merge' | 'erase'>();
  const close = (): void => setOpened(undefined);
  return (
    <>
      <DrawerTop
        picture={<Avatar name={contact.displayName} id={contact.id} size="large" />}
        title={contact.displayName}
        actions={
          <>
            {canWrite && (
              <IconButton icon="edit" label={t('contacts.edit')} onClick={() => setOpened('edit')} />
            )}
            {canMerge && (
              <IconButton icon="merge" label={t('contacts.merge')} onClick={() => setOpened('merge')} />
            )}
            {canErase && (
              <IconButton icon="trash" label={t('contacts.erase')} onClick={() => setOpened('erase')} />
            )}
            <IconButton icon="close" label={t('contacts.close')} onClick={onClose} />
          </>
        }
        tabs={
          <Tabs
            label={contact.displayName}
            tabs={contactTabs.map((id) => ({ id, label: t(`contacts.tab.${id}`) }))}
            chosen={tab}
            onChoose={onTab}
          />
        }
      />
      {tab === 'details' ? <Details contact={contact} /> : <Timeline contactId={contact.id} />}
      {opened === 'edit' && <ContactForm contact={contact} onClose={close} onDone={close} />}
      {opened === 'merge' && <MergeDialog contact={contact} onClose={close} />}
      {opened === 'erase' && <EraseDialog contact={contact} onClose={close} onDone={onClose} />}
    </>
  );
}

interface EraseDialogProps {
  contact: Contact;
  onClose: () => void;
  onDone: () => void;
}

function EraseDialog({ contact, onClose, onDone }: EraseDialogProps) {
  const t = useText();
  const erase = useWrite(() => deleteContact(client, { path: { contactId: contact.id } }), {
    invalidates: [[...CONTACTS_KEY, 'list']],
    done: 'contacts.erased',
    showsError: true,
    onSuccess: onDone,
  });
  const name = contact.displayName;
  return (
    <ConfirmDialog
      title={t('contacts.eraseTitle', { name })}
      text={t('contacts.eraseText', { name })}
      action={t('contacts.erase')}
      typed={name}
      write={erase}
      onClose={onClose}
    />
  );
}
