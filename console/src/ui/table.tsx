import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './table.module.css';

export interface Column<T> {
  id: string;
  title: string;
  cell: (row: T) => ReactNode;
  /** Numbers and times align at the end. */
  align?: 'start' | 'end';
  /** Left out below 720 px. */
  isExtra?: boolean;
  /** The title is read aloud only, as above buttons. */
  hidesTitle?: boolean;
}

interface TableProps<T> {
  /** Read aloud. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** A plain table, for up to some hundred rows. */
export function Table<T>({ label, columns, rows, keyOf }: TableProps<T>) {
  const classOf = ({ align, isExtra }: Column<T>): string =>
    classes(align === 'end' && styles.end, isExtra && styles.extra);
  return (
    // A scrolling area must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={styles.scroll} aria-label={label} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.hidesTitle ? <span className="visually-hidden">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.id} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
