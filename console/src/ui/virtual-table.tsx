import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { List } from '../api/lists.ts';
import { classes } from './classes.ts';
import styles from './split.module.css';

/** The next page is read when less than this is left to scroll. */
const AHEAD_PX = 2_000;

/** The link of a row, which covers all of it. */
export const rowLink = styles.link;

export interface VirtualColumn<T> {
  id: string;
  title: ReactNode;
  cell: (row: T) => ReactNode;
  className: string | undefined;
  /** For what people wrote. */
  dir?: 'auto';
}

export interface VirtualTableHandle {
  showFirst(): void;
}

interface VirtualTableProps<T> {
  ref?: Ref<VirtualTableHandle>;
  label: string;
  /** Of the table, of each row, and of the row with the titles. */
  className?: string | undefined;
  rowClass: string | undefined;
  titlesClass?: string | undefined;
  rowPx: number;
  columns: readonly VirtualColumn<T>[];
  list: List<T> & { rows: readonly T[] };
  openedId: string | undefined;
  onScroll?: (offsetPx: number) => void;
}

/** A table of any length: only the rows in sight are rendered, and pages are read as they come into sight. */
export function VirtualTable<T extends { id: string }>({
  ref,
  label,
  className,
  rowClass,
  titlesClass,
  rowPx,
  columns,
  list,
  openedId,
  onScroll,
}: VirtualTableProps<T>) {
  const scroll = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const { rows, hasMore, isReadingMore, readMore, searchedTo } = list;
  useImperativeHandle(ref, () => ({ showFirst: () => handle.current?.scrollToIndex(0) }), []);
  const readAhead = (): void => {
    const virtual = handle.current;
    if (!virtual) return;
    onScroll?.(virtual.scrollOffset);
    // A search that stopped goes on when somebody asks for it.
    if (!hasMore || isReadingMore || searchedTo !== undefined) return;
    if (virtual.scrollSize - virtual.scrollOffset - virtual.viewportSize < AHEAD_PX) readMore();
  };
  const opened = rows.findIndex(({ id }) => id === openedId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is opened, not when rows come
  useEffect(() => {
    if (opened >= 0) handle.current?.scrollToIndex(opened, { align: 'nearest' });
  }, [openedId]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows out of sight are not rendered, which a table element cannot do
    <div
      role="table"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      className={classes(styles.table, className)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: a row of titles */}
      <div role="row" className={classes(styles.row, styles.titles, rowClass, titlesClass)} aria-rowindex={1}>
        {columns.map(({ id, title, className: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: a title
          <div key={id} role="columnheader" className={own}>
            {title}
          </div>
        ))}
      </div>
      <div ref={scroll} className={styles.scroll}>
        <Virtualizer ref={handle} scrollRef={scroll} data={rows} itemSize={rowPx} onScroll={readAhead}>
          {(row, index) => (
            // biome-ignore lint/a11y/useSemanticElements: a row of a table that is not one element
            // biome-ignore lint/a11y/useFocusableInteractive: the link in it has the focus
            <div
              key={row.id}
              role="row"
              aria-rowindex={index + 2}
              className={classes(styles.row, rowClass, row.id === openedId && styles.opened)}
            >
              {columns.map(({ id, cell, className: own, dir }) => (
                // biome-ignore lint/a11y/useSemanticElements: as above
                <div key={id} role="cell" className={own} dir={dir}>
                  {cell(row)}
                </div>
              ))}
            </div>
          )}
        </Virtualizer>
      </div>
    </div>
  );
}
