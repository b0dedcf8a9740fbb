import { type FormEvent, useState } from 'react';
import { issueOf } from '../api/errors.ts';
import { useText } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';
import { SelectField, TextField } from './field.tsx';
import { type Chip, type FilterField, type FilterTexts, readFilter, writeFilter } from './filter.ts';
import styles from './filter-bar.module.css';
import { FormDialog } from './form-dialog.tsx';
import { Icon } from './icon.tsx';

interface FilterTextProps {
  filter: string;
  /** What the API answered to it. */
  error: unknown;
  /** A filter to begin with. */
  example: string;
  onChange: (filter: string) => void;
}

interface FilterBarProps extends FilterTextProps {
  /** How the conditions are written, and what people see of them. */
  texts: FilterTexts;
  fields: readonly FilterField[];
  /** What adding one is called, where it is not a filter to people. */
  add?: string;
}

/** The conditions as chips, and the filter that they become, which can be edited as well. */
export function FilterBar({ texts, fields, filter, error, example, add, onChange }: FilterBarProps) {
  const t = useText();
  const chips = readFilter(texts, filter);
  const [isAdding, setIsAdding] = useState(false);
  const [showsText, setShowsText] = useState(false);
  const describe = ({ field, value }: Chip): string =>
    fields.find(({ id }) => id === field)?.describe(value) ?? value;
  return (
    <>
      <div className={styles.chips}>
        {chips === undefined ? (
          <ChipTag text={t('filter.byHand')} onRemove={() => onChange('')} />
        ) : (
          chips.map((chip, index) => (
            <ChipTag
              // biome-ignore lint/suspicious/noArrayIndexKey: two chips may be equal
              key={index}
              text={describe(chip)}
              onRemove={() =>
                onChange(
                  writeFilter(
                    texts,
                    chips.filter((one) => one !== chip),
                  ),
                )
              }
            />
          ))
        )}
        {chips !== undefined && (
          <Button look="quiet" icon={add === undefined ? 'filter' : 'plus'} onClick={() => setIsAdding(true)}>
            {add ?? t('filter.open')}
          </Button>
        )}
        <Button look="quiet" aria-expanded={showsText} onClick={() => setShowsText(!showsText)}>
          {t('filter.show')}
        </Button>
      </div>
      {(showsText || issueOf(error, 'query') !== undefined) && (
        <FilterText key={filter} filter={filter} error={error} example={example} onChange={onChange} />
      )}
      {isAdding && (
        <AddDialog
          title={add ?? t('filter.title')}
          fields={fields}
          onClose={() => setIsAdding(false)}
          onAdd={(chip) => {
            setIsAdding(false);
            onChange(writeFilter(texts, [...(chips ?? []), chip]));
          }}
        />
      )}
    </>
  );
}

function ChipTag({ text, onRemove }: { text: string; onRemove: () => void }) {
  const t = useText();
  const label = t('filter.remove', { name: text });
  return (
    <span className={styles.chip}>
      <span className={styles.chipText}>{text}</span>
      <button type="button" className={styles.chipRemove} aria-label={label} title={label} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

function FilterText({ filter, error, example, onChange }: FilterTextProps) {
  const t = useText();
  const [text, setText] = useState(filter);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(text.trim());
  };
  return (
    <form className={styles.filterText} onSubmit={submit}>
      <TextField
        label={t('filter.text')}
        help={t('filter.textHelp')}
        className={styles.code}
        value={text}
        onChange={(event) => setText(event.target.value)}
        error={issueOf(error, 'query')}
        maxLength={4096}
        autoComplete="off"
        spellCheck={false}
        placeholder={example}
      />
      <Button type="submit">{t('filter.apply')}</Button>
    </form>
  );
}

interface AddDialogProps {
  title: string;
  fields: readonly FilterField[];
  onClose: () => void;
  onAdd: (chip: Chip) => void;
}

function AddDialog({ title, fields, onClose, onAdd }: AddDialogProps) {
  const t = useText();
  // Such as labels, of which there may be none.
  const usable = fields.filter(({ options }) => options === undefined || options.length > 0);
  const [id, setId] = useState(usable[0]?.id ?? '');
  const [text, setText] = useState('');
  const choices = usable.find((field) => field.id === id)?.options;
  const value = choices ? (choices.find((one) => one.value === text) ?? choices[0])?.value : text.trim();
  return (
    <FormDialog
      title={title}
      submit={t('filter.add')}
      onSubmit={() => onAdd({ field: id, value: value as string })}
      onClose={onClose}
      isBusy={false}
      error={undefined}
    >
      <SelectField
        label={t('filter.field')}
        value={id}
        options={usable.map((field) => ({ value: field.id, label: field.title }))}
        onChange={setId}
      />
      {choices ? (
        <SelectField label={t('filter.value')} value={value as string} options={choices} onChange={setText} />
      ) : (
        <TextField
          label={t('filter.value')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          maxLength={200}
          required
        />
      )}
    </FormDialog>
  );
}
