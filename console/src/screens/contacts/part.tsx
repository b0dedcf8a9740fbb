import type { ReactNode } from 'react';
import styles from './drawer.module.css';

/** A part of what is known about a contact. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h3 className={styles.title}>{title}</h3>
    {children}
  </section>
);

/** A name and a value, in a list of them. */
export const Pair = ({ name, value }: { name: string; value: ReactNode }) => (
  <div className={styles.pair}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
