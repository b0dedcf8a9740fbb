import type { ReactNode } from 'react';
import styles from './page.module.css';

interface PageProps {
  title: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A screen of one column: a title, actions, content that scrolls. Screens with panes of their own do without it. */
export function Page({ title, actions, children }: PageProps) {
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1 className={styles.title}>{title}</h1>
        {actions}
      </header>
      <div className={styles.content}>{children}</div>
    </div>
  );
}

interface SectionProps {
  title: string;
  /** What it is about, below the title. */
  text?: ReactNode;
  children?: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, text, children }: SectionProps) {
  return (
    <section className={styles.section}>
      <div>
        <h2>{title}</h2>
        {text !== undefined && <p className={styles.text}>{text}</p>}
      </div>
      <div className={styles.sectionContent}>{children}</div>
    </section>
  );
}
