import {
  type Attribute,
  type Contact,
  type CreateContactBody,
  createContact,
  updateContact,
} from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, useWrite } from '../api/api.ts';
import { useAttributes } from '../api/attributes.ts';
import { CONTACTS_KEY, storeContact } from '../api/contacts.ts';
import { issueOf } from '../api/errors.ts';
import { useText } from '../i18n/i18n.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';

const FIELDS = ['firstName', 'lastName', 'phoneNumber', 'email', 'language', 'timezone'] as const;
type FieldName = (typeof FIELDS)[number];
const MAX: Readonly<Record<FieldName, number>> = {
  firstName: 255,
  lastName: 255,
  phoneNumber: 255,
  email: 255,
  language: 35,
  timezone: 64,
};
const HELP = { language: 'contacts.languageHelp', timezone: 'contacts.timezoneHelp' } as const;
const hasHelp = (name: FieldName): name is keyof typeof HELP => Object.hasOwn(HELP, name);

type Values = Readonly<Record<string, string>>;

interface ContactFormProps {
  /** The one to change; without it a new one is created. */
  contact?: Contact;
  onClose: () => void;
  onDone: (contact: Contact) => void;
}

/** Name, addresses and attributes. Only what was changed is sent: others may have changed the rest. */
export function ContactForm({ contact, onClose, onDone }: ContactFormProps) {
  const t = useText();
  const cache = useQueryClient();
  const attributes = useAttributes();
  const [values, setValues] = useState<Values>({});
  const [attributeValues, setAttributeValues] = useState<Values>({});
  const textOf = (name: FieldName): string => values[name] ?? contact?.[name] ?? '';
  const attributeOf = (id: string): string =>
    attributeValues[id] ?? contact?.attributes.find((one) => one.id === id)?.value ?? '';
  const save = useWrite(
    () => {
      const changed = Object.entries(attributeValues).map(([id, value]) => ({
        id,
        value: value.trim() || null,
      }));
      const body: CreateContactBody = {
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim() || null])),
        ...(changed.length === 0 ? {} : { attributes: changed }),
      };
      return contact
        ? updateContact(client, { path: { contactId: contact.id }, body })
        : createContact(client, { body });
    },
    {
      done: 'saved',
      showsError: true,
      ...(contact ? {} : { invalidates: [[...CONTACTS_KEY, 'list']] }),
      onSuccess: (saved) => {
        storeContact(cache, saved);
        onDone(saved);
      },
    },
  );
  return (
    <FormDialog
      title={contact ? contact.displayName : t('contacts.new')}
      submit={t('action.save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
      isBusy={save.isPending}
      error={save.error}
      fields={[...FIELDS, 'value']}
    >
      {FIELDS.map((name) => (
        <TextField
          key={name}
          label={t(`contacts.${name}`)}
          {...(hasHelp(name) && { help: t(HELP[name]) })}
          value={textOf(name)}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          error={issueOf(save.error, name)}
          maxLength={MAX[name]}
          autoComplete="off"
          autoFocus={name === 'firstName'}
          {...(name === 'phoneNumber' && { inputMode: 'tel' as const })}
          {...(name === 'email' && { inputMode: 'email' as const })}
        />
      ))}
      {attributes.data?.map((attribute) => (
        <AttributeField
          key={attribute.id}
          attribute={attribute}
          value={attributeOf(attribute.id)}
          error={issueOf(
            save.error,
            `attributes.${Object.keys(attributeValues).indexOf(attribute.id)}.value`,
          )}
          onChange={(value) => setAttributeValues({ ...attributeValues, [attribute.id]: value })}
        />
      ))}
    </FormDialog>
  );
}

interface AttributeFieldProps {
  attribute: Attribute;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

const INPUT_TYPES: Partial<Record<Attribute['type'], string>> = { date: 'date', url: 'url' };

/** A field that fits the type of an attribute. */
export function AttributeField({ attribute, value, error, onChange }: AttributeFieldProps) {
  const t = useText();
  const { name, type, options, description } = attribute;
  const help = description === null ? {} : { help: description };
  const choices =
    type === 'select'
      ? options.map((option) => ({ value: option, label: option }))
      : [
          { value: 'true', label: t('contacts.yes') },
          { value: 'false', label: t('contacts.no') },
        ];
  if (type === 'select' || type === 'boolean')
    return (
      <SelectField
        label={name}
        {...help}
        error={error}
        value={value}
        options={[{ value: '', label: '–' }, ...choices]}
        onChange={onChange}
      />
    );
  return (
    <TextField
      label={name}
      {...help}
      type={INPUT_TYPES[type] ?? 'text'}
      {...(type === 'number' && { inputMode: 'decimal' as const })}
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      maxLength={2000}
      autoComplete="off"
    />
  );
}
