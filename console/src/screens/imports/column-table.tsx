import type { Attribute, ExaminedImport } from '@parley/sdk';
import { queryClient, useWrite } from '../../api/api.ts';
import { ATTRIBUTES_KEY, createTextAttribute, useAttributes } from '../../api/attributes.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Table } from '../../ui/table.tsx';
import { attributeField, CONTACT_FIELDS, chooseField, type Field, isUnique } from './data.ts';
import styles from './imports.module.css';

const MAX_NAME = 255;
/** No field has this name. */
const NEW_ATTRIBUTE = '+';
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
  const attributes = useAttributes().data ?? [];
  const nameOf = (index: number): string =>
    columns[index]?.name || t('imports.unnamed', { number: index + 1 });
  const choose = (index: number, field: Field): void => onChange(chooseField(fields, index, field));
  const create = useWrite(
    async (index: number) => {
      const created = await createTextAttribute(nameOf(index).trim().slice(0, MAX_NAME), attributes);
      // Before it is chosen, so that the list has it.
      await queryClient.invalidateQueries({ queryKey: ATTRIBUTES_KEY });
      return created;
    },
    { onSuccess: (attribute, index) => choose(index, attributeField(attribute)) },
  );
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
                attributes={attributes}
                field={fields[index] ?? null}
                newName={nameOf(index)}
                isBusy={create.isPending}
                onChange={(field) => (field === NEW_ATTRIBUTE ? create.mutate(index) : choose(index, field))}
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
  /** What a new attribute would be called. */
  newName: string;
  isBusy: boolean;
  onChange: (field: Field) => void;
}

function FieldSelect({ label, attributes, field, newName, isBusy, onChange }: FieldSelectProps) {
  const t = useText();
  const canCreate = useScope('attributes:write');
  return (
    <select
      className={styles.select}
      aria-label={label}
      aria-busy={isBusy || undefined}
      disabled={isBusy}
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
      {(attributes.length > 0 || canCreate) && (
        <optgroup label={t('imports.group.attributes')}>
          {attributes.map((attribute) => (
            <option key={attribute.id} value={attributeField(attribute)}>
              {attribute.name}
            </option>
          ))}
          {canCreate && <option value={NEW_ATTRIBUTE}>{t('imports.newAttribute', { name: newName })}</option>}
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
