import { Icon } from './icon.tsx';
import styles from './label-tag.module.css';

interface LabelTagProps {
  name: string;
  color: string | null;
  /** With it there is a button that removes the label. */
  onRemove?: (() => void) | undefined;
  removeText?: string;
}

/** A label: a dot in its colour and its name. */
export function LabelTag({ name, color, onRemove, removeText }: LabelTagProps) {
  return (
    <span className={styles.tag}>
      <span className={styles.dot} style={color === null ? undefined : { background: color }} />
      <span className={styles.name}>{name}</span>
      {onRemove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={removeText}
          title={removeText}
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}
