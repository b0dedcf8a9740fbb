import type { ReactNode } from 'react';
import styles from './form.module.css';

/** Fields below each other, as wide as is easy to read. */
export const FormColumn = ({ children }: { children: ReactNode }) => (
  <div className={styles.column}>{children}</div>
);

/** A form on a page. */
export const Form = ({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) => (
  <form
    className={styles.column}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);
