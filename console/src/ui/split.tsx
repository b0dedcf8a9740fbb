import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './split.module.css';

interface SplitProps {
  className?: string | undefined;
  /** Title and buttons above the list. */
  header: ReactNode;
  /** Search and filters below them. */
  tools: ReactNode;
  /** One of the rows; undefined while none is opened. */
  drawer: ReactNode | undefined;
  children: ReactNode;
}

/** A screen with a list, and one of its rows in a drawer beside it. Below 720 px it shows one of both. */
export const Split = ({ className, header, tools, drawer, children }: SplitProps) => (
  <div className={classes(styles.split, drawer !== undefined && styles.hasDrawer, className)}>
    <div className={styles.main}>
      <header className={styles.header}>{header}</header>
      <div className={styles.tools}>{tools}</div>
      {children}
    </div>
    {drawer}
  </div>
);

export const Drawer = ({ label, children }: { label: string; children: ReactNode }) => (
  <aside className={styles.drawer} aria-label={label}>
    {children}
  </aside>
);

interface DrawerTopProps {
  picture: ReactNode;
  title: string;
  actions: ReactNode;
  tabs: ReactNode;
}

/** What of a drawer stays while the rest scrolls. */
export const DrawerTop = ({ picture, title, actions, tabs }: DrawerTopProps) => (
  <div className={styles.top}>
    <header className={styles.drawerHeader}>
      {picture}
      <h2 className={styles.name} title={title} dir="auto">
        {title}
      </h2>
      {actions}
    </header>
    {tabs}
  </div>
);
