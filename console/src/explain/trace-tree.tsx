import type { Trace } from '@parley/sdk';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { TraceEntry } from './trace-entry.tsx';
import styles from './trace-tree.module.css';
import { isAsked, keyInTree, visibleRows } from './tree.ts';

/** Causes and consequences as an indented tree. Arrow keys move in it, open and close. */
export function TraceTree({ askedId, trace }: { askedId: string; trace: Trace }) {
  const t = useText();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  /** The row that Tab leads to. */
  const [currentId, setCurrentId] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const rows = visibleRows(trace, closed);
  const current = Math.max(
    0,
    rows.findIndex(({ node }) => (currentId === undefined ? isAsked(node, askedId) : node.id === currentId)),
  );

  const toggle = (id: string): void =>
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    // Links in a row have the keys of the browser.
    if ((event.target as HTMLElement).role !== 'treeitem') return;
    if (event.key === 'Enter') {
      event.preventDefault();
      (event.target as HTMLElement).querySelector('a')?.click();
      return;
    }
    const action = keyInTree(event.key, rows, current, closed);
    if (!action) return;
    event.preventDefault();
    if ('toggle' in action) toggle(action.toggle);
    // The row with the focus is the current one.
    else list.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[action.focus]?.focus();
  };
  return (
    <div ref={list} role="tree" aria-label={t('trace.tree')} className={styles.tree} onKeyDown={onKeyDown}>
      {rows.map((row, index) => (
        <TraceEntry
          key={row.node.id}
          row={row}
          isOpen={!closed.has(row.node.id)}
          isAsked={isAsked(row.node, askedId)}
          isCurrent={index === current}
          onFocus={() => setCurrentId(row.node.id)}
          onToggle={() => toggle(row.node.id)}
        />
      ))}
    </div>
  );
}
