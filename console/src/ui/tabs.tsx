import { classes } from './classes.ts';
import styles from './tabs.module.css';

interface TabsProps<T extends string> {
  /** Read aloud. */
  label: string;
  tabs: readonly { id: T; label: string }[];
  chosen: T;
  onChoose: (id: T) => void;
}

/** Chooses one of a few contents of the same place. They are buttons, each reached with Tab. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose }: TabsProps<T>) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          className={classes(styles.tab, tab.id === chosen && styles.chosen)}
          aria-current={tab.id === chosen ? 'true' : undefined}
          onClick={() => onChoose(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </nav>
  );
}
