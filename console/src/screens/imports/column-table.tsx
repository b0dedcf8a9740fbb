import { type Attribute, type ExaminedImport, searchAttributes } from '@parley/sdk';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Table } from '../../ui/table.tsx';
import { attributeField, CONTACT_FIELDS, chooseField, type Field, isUnique } from './data.ts';
import styles from './imports.module.css';

/** How many of the first values are shown beside the name of a column. */
const SHOWN_VALUES = 3;

interface ColumnTableProps {
  columns: ExaminedImport['columns'];
  fields: readonly Field[];
  onChange: (fields: Field[]) => void;
}

/** What each column of the file becomes. */
export function ColumnTable({ columns, fields, onChange }: ColumnTableProps) {
  const t = useText();
  const attributes = useAll(['attributes'], searchAttributes, { enabled: useScope('attributes:read') });
  const nameOf = (index: number): string =>
    columns[index]?.name || t('imports.unnamed', { number: index + 1 });
  return (
    <Table<number>
      label={t('imports.column')}
      rows={columns.map((_, index) => index)}
      keyOf={String}
      columns={[
        {
          id: 'name',
          title: t('imports.column'),
          cell: (index) => (
            <>
              <div className={styles.name}>{nameOf(index)}</div>
              <div className={styles.values}>
                {columns[index]?.samples.slice(0, SHOWN_VALUES).join(' · ')}
              </div>
            </>
          ),
        },
        {
          id: 'field',
          title: t('imports.becomes'),
          cell: (index) =>
            isUnique(columns, index) ? (
              <FieldSelect
                label={t('imports.becomesOf', { name: nameOf(index) })}
                attributes={attributes.data ?? []}
                field={fields[index] ?? null}
                onChange={(field) => onChange(chooseField(fields, index, field))}
              />
            ) : (
              <span className={styles.muted}>{t('imports.severalOfName')}</span>
            ),
        },
      ]}
    />
  );
}

interface FieldSelectProps {
  label: string;
  attributes: readonly Attribute[];
  field: Field;
  onChange: (field: Field) => void;
}

function FieldSelect({ label, attributes, field, onChange }: FieldSelectProps) {
  const t = useText();
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={field ?? ''}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{t('imports.leftOut')}</option>
      <optgroup label={t('imports.group.contact')}>
        {CONTACT_FIELDS.map((one) => (
          <option key={one} value={one}>
            {t(`imports.field.${one}`)}
          </option>
        ))}
      </optgroup>
      {attributes.length > 0 && (
        <optgroup label={t('imports.group.attributes')}>
          {attributes.map((attribute) => (
            <option key={attribute.id} value={attributeField(attribute)}>
              {attribute.name}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}

/** The first rows as they are in the file. */
export function FirstRows({ columns, rows }: Pick<ExaminedImport, 'columns' | 'rows'>) {
  const t = useText();
  return (
    <details>
      <summary className={styles.summary}>{t('imports.firstRows')}</summary>
      <Table<string[]>
        label={t('imports.firstRows')}
        rows={rows}
        keyOf={(row) => String(rows.indexOf(row))}
        columns={columns.map(({ name }, index) => ({
          id: String(index),
          title: name || t('imports.unnamed', { number: index + 1 }),
          cell: (row) => <span className={styles.cell}>{row[index]}</span>,
        }))}
      />
    </details>
  );
}
