import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { FlowDefinition } from '../../flow/definition.ts';
import { useText } from '../../i18n/i18n.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/notices.tsx';
import { isSameDefinition } from './diff.ts';
import { readJson, writeJson } from './json.ts';
import styles from './panel.module.css';

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }));

interface JsonPaneProps {
  definition: FlowDefinition;
  isReadOnly: boolean;
  onChange: (definition: FlowDefinition, about?: string) => void;
  /** Called with true while the text is no definition, so that nobody saves without it. */
  onUnfinished: (isUnfinished: boolean) => void;
  onClose: () => void;
}

/** The definition as JSON. What is not a definition yet stays in the editor, and the picture waits. */
export function JsonPane({ definition, isReadOnly, onChange, onUnfinished, onClose }: JsonPaneProps) {
  const t = useText();
  const [text, setText] = useState(() => writeJson(definition));
  const read = readJson(text);
  // Undo and the picture change the definition, too. The text follows, but not while it says the same in other words.
  const shown = useRef(definition);
  useEffect(() => {
    if (shown.current === definition) return;
    shown.current = definition;
    setText((old) => {
      const now = readJson(old).definition;
      return now && isSameDefinition(now, definition) ? old : writeJson(definition);
    });
  }, [definition]);
  const write = (next: string): void => {
    setText(next);
    const { definition: written } = readJson(next);
    if (written && !isSameDefinition(written, definition)) onChange(written, 'json');
  };
  const problem = !read.isJson
    ? t('automations.notJson')
    : read.definition
      ? undefined
      : t('automations.notDefinition');
  const isUnfinished = problem !== undefined;
  useEffect(() => {
    onUnfinished(isUnfinished);
    return () => onUnfinished(false);
  }, [isUnfinished, onUnfinished]);
  return (
    <aside className={styles.panel} aria-label={t('automations.json')}>
      <header className={styles.header}>
        <Icon name="code" />
        <h2 className={styles.title}>{t('automations.json')}</h2>
        <IconButton icon="close" label={t('action.close')} onClick={onClose} />
      </header>
      {problem !== undefined && (
        <p className={styles.issues} role="alert">
          {problem}
        </p>
      )}
      <Suspense fallback={<Skeleton lines={8} />}>
        <JsonEditor label={t('automations.json')} text={text} isReadOnly={isReadOnly} onChange={write} />
      </Suspense>
    </aside>
  );
}
