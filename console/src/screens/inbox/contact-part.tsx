import type { ReactNode } from 'react';
import styles from './contact-panel.module.css';

/** A part of what is known about a contact. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h3 className={styles.title}>{title}</h3>
    {children}
  </section>
);
