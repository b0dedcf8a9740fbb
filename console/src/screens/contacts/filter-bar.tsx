import { type Label, searchLabels } from '@parley/sdk';
import { type FormEvent, useState } from 'react';
import { issueOf } from '../../api/errors.ts';
import { useAll } from '../../api/lists.ts';
import { type Translator, useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './contacts.module.css';
import { type Chip, type ChipField, chipFields, readFilter, writeFilter } from './filter.ts';

interface FilterBarProps {
  filter: string;
  /** What the API answered to it. */
  error: unknown;
  onChange: (filter: string) => void;
}

/** The conditions as chips, and the filter that they become, which can be edited as well. */
export function FilterBar({ filter, error, onChange }: FilterBarProps) {
  const t = useText();
  const labels = useAll(['labels'], searchLabels);
  const chips = readFilter(filter);
  const [isAdding, setIsAdding] = useState(false);
  const [showsText, setShowsText] = useState(false);
  return (
    <>
      <div className={styles.chips}>
        {chips === undefined ? (
          <ChipTag text={t('contacts.filterByHand')} onRemove={() => onChange('')} />
        ) : (
          chips.map((chip, index) => (
            <ChipTag
              // biome-ignore lint/suspicious/noArrayIndexKey: two chips may be equal
              key={index}
              text={describeChip(chip, labels.data ?? [], t)}
              onRemove={() => onChange(writeFilter(chips.filter((one) => one !== chip)))}
            />
          ))
        )}
        {chips !== undefined && (
          <Button look="quiet" icon="filter" onClick={() => setIsAdding(true)}>
            {t('contacts.addFilter')}
          </Button>
        )}
        <Button look="quiet" aria-expanded={showsText} onClick={() => setShowsText(!showsText)}>
          {t('contacts.filterShow')}
        </Button>
      </div>
      {(showsText || issueOf(error, 'query') !== undefined) && (
        <FilterText key={filter} filter={filter} error={error} onChange={onChange} />
      )}
      {isAdding && (
        <AddDialog
          labels={labels.data ?? []}
          onClose={() => setIsAdding(false)}
          onAdd={(chip) => {
            setIsAdding(false);
            onChange(writeFilter([...(chips ?? []), chip]));
          }}
        />
      )}
    </>
  );
}

function describeChip({ field, value }: Chip, labels: readonly Label[], t: Translator['t']): string {
  if (field === 'label')
    return t('contacts.chip.label', { value: labels.find(({ id }) => id === value)?.name ?? value });
  if (field === 'subscribed')
    return t('contacts.chip.subscribed', { value: t(value === 'true' ? 'contacts.yes' : 'contacts.no') });
  if (field === 'created')
    return t('contacts.chip.created', { value: t(`contacts.${value as (typeof PERIODS)[number]}`) });
  return t(`contacts.chip.${field}`, { value });
}

function ChipTag({ text, onRemove }: { text: string; onRemove: () => void }) {
  const t = useText();
  const label = t('contacts.filterRemove', { name: text });
  return (
    <span className={styles.chip}>
      <span className={styles.chipText}>{text}</span>
      <button type="button" className={styles.chipRemove} aria-label={label} title={label} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

function FilterText({ filter, error, onChange }: FilterBarProps) {
  const t = useText();
  const [text, setText] = useState(filter);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(text.trim());
  };
  return (
    <form className={styles.filterText} onSubmit={submit}>
      <TextField
        label={t('contacts.filterText')}
        help={t('contacts.filterTextHelp')}
        className={styles.code}
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={issueOf(error, 'query')}
        maxLength={4096}
        autoComplete="off"
        spellCheck={false}
        placeholder={'eq(isSubscribed,true)'}
      />
      <Button type="submit">{t('contacts.filterApply')}</Button>
    </form>
  );
}

const PERIODS = ['P1D', 'P7D', 'P30D'] as const;

interface AddDialogProps {
  labels: readonly Label[];
  onClose: () => void;
  onAdd: (chip: Chip) => void;
}

function AddDialog({ labels, onClose, onAdd }: AddDialogProps) {
  const t = useText();
  const fields = chipFields.filter((field) => field !== 'label' || labels.length > 0);
  const [field, setField] = useState<ChipField>(fields[0] as ChipField);
  const [text, setText] = useState('');
  const options: Partial<Record<ChipField, { value: string; label: string }[]>> = {
    label: labels.map(({ id, name }) => ({ value: id, label: name })),
    subscribed: [
      { value: 'true', label: t('contacts.yes') },
      { value: 'false', label: t('contacts.no') },
    ],
    created: PERIODS.map((value) => ({ value, label: t(`contacts.${value}`) })),
  };
  const choices = options[field];
  const value = choices ? (choices.find((one) => one.value === text) ?? choices[0])?.value : text.trim();
  return (
    <FormDialog
      title={t('contacts.filterTitle')}
      submit={t('contacts.filterAdd')}
      onSubmit={() => onAdd({ field, value: value as string })}
      onClose={onClose}
      isBusy={false}
      error={undefined}
    >
      <SelectField
        label={t('contacts.filterField')}
        value={field}
        options={fields.map((one) => ({ value: one, label: t(`contacts.field.${one}`) }))}
        onChange={setField}
      />
      {choices ? (
        <SelectField
          label={t('contacts.filterValue')}
          value={value as string}
          options={choices}
          onChange={setText}
        />
      ) : (
        <TextField
          label={t('contacts.filterValue')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          maxLength={200}
          required
        />
      )}
    </FormDialog>
  );
}
