import { createLabel, type ExaminedImport, searchLabels } from '@parley/sdk';
import { type KeyboardEvent, useState } from 'react';
import { client, useWrite } from '../../api/api.ts';
import { describeError, issueOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { countriesIn } from './countries.ts';
import styles from './imports.module.css';

export type Encoding = ExaminedImport['encoding'];
export type Delimiter = ExaminedImport['delimiter'];

/** What is done with the rows, besides what the columns are. */
export interface Settings {
  /** Empty: none. */
  country: string;
  onExisting: 'update' | 'skip';
  triggerAutomations: boolean;
  labelIds: string[];
}

interface SettingFieldsProps {
  settings: Settings;
  hasNumbers: boolean;
  onChange: (settings: Settings) => void;
}

export function SettingFields({ settings, hasNumbers, onChange }: SettingFieldsProps) {
  const { t, language } = useTranslator();
  return (
    <>
      <div className={styles.pair}>
        {hasNumbers && (
          <SelectField
            label={t('imports.country')}
            help={t('imports.countryHelp')}
            value={settings.country}
            options={[{ value: '', label: t('imports.noCountry') }, ...countriesIn(language)]}
            onChange={(country) => onChange({ ...settings, country })}
          />
        )}
        <SelectField
          label={t('imports.existing')}
          value={settings.onExisting}
          options={(['update', 'skip'] as const).map((value) => ({
            value,
            label: t(`imports.existing.${value}`),
          }))}
          onChange={(onExisting) => onChange({ ...settings, onExisting })}
        />
        <SelectField
          label={t('imports.automations')}
          value={settings.triggerAutomations ? 'start' : 'none'}
          options={(['none', 'start'] as const).map((value) => ({
            value,
            label: t(`imports.automations.${value}`),
          }))}
          onChange={(chosen) => onChange({ ...settings, triggerAutomations: chosen === 'start' })}
        />
      </div>
      <LabelFields
        labelIds={settings.labelIds}
        onChange={(labelIds) => onChange({ ...settings, labelIds })}
      />
    </>
  );
}

interface LabelFieldsProps {
  labelIds: string[];
  onChange: (labelIds: string[]) => void;
}

/** Labels that everybody in the file gets. A new one is made here, because it is often about this very file. */
function LabelFields({ labelIds, onChange }: LabelFieldsProps) {
  const t = useText();
  const labels = useAll(['labels'], searchLabels);
  const [name, setName] = useState('');
  const create = useWrite(() => createLabel(client, { body: { name: name.trim() } }), {
    invalidates: [['labels']],
    showsError: true,
    onSuccess: ({ id }) => {
      setName('');
      onChange([...labelIds, id]);
    },
  });
  const add = (): void => {
    if (name.trim() !== '' && !create.isPending) create.mutate();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <>
      <Choices
        label={t('imports.labels')}
        options={(labels.data ?? []).map((label) => ({ value: label.id, label: label.name }))}
        chosen={labelIds}
        onChange={onChange}
        none={t('imports.noLabels')}
      />
      <div className={styles.newLabel}>
        <TextField
          label={t('imports.newLabel')}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={onKeyDown}
          error={create.error ? (issueOf(create.error, 'name') ?? describeError(create.error, t)) : undefined}
          maxLength={100}
          autoComplete="off"
        />
        <Button icon="plus" isBusy={create.isPending} disabled={name.trim() === ''} onClick={add}>
          {t('imports.addLabel')}
        </Button>
      </div>
    </>
  );
}

const ENCODINGS: readonly Encoding[] = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
];
const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|'];

interface FormatFieldsProps {
  encoding: Encoding;
  delimiter: Delimiter;
  onChange: (format: { encoding: Encoding; delimiter: Delimiter }) => void;
}

/** How the file is written, for when it was detected wrongly. */
export function FormatFields({ encoding, delimiter, onChange }: FormatFieldsProps) {
  const t = useText();
  return (
    <details>
      <summary className={styles.summary}>{t('imports.format')}</summary>
      <div className={styles.pair}>
        <SelectField
          label={t('imports.encoding')}
          value={encoding}
          options={ENCODINGS.map((value) => ({ value, label: value.toUpperCase() }))}
          onChange={(next) => onChange({ encoding: next, delimiter })}
        />
        <SelectField
          label={t('imports.delimiter')}
          value={delimiter}
          options={DELIMITERS.map((value) => ({ value, label: t(`imports.delimiter.${value}`) }))}
          onChange={(next) => onChange({ encoding, delimiter: next })}
        />
      </div>
    </details>
  );
}
