import { type DragEvent, useState } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './file-drop.module.css';

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** Takes files that are dropped anywhere on an element: `<section {...handlers}>`. */
export function useFileDrop(onFiles: (files: Iterable<File>) => void) {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent): void {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave(event: DragEvent): void {
        // It also leaves each element inside.
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      },
      onDrop(event: DragEvent): void {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(false);
        onFiles(event.dataTransfer.files);
      },
    },
  };
}

/** Says, over all of the element, that files may be dropped. */
export function DropTarget() {
  const t = useText();
  return (
    <div className={styles.target}>
      <p className={styles.text}>
        <Icon name="attach" />
        {t('composer.drop')}
      </p>
    </div>
  );
}
