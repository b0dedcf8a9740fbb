import { CopyButton } from './copy-button.tsx';
import styles from './copy-text.module.css';

/** A text to copy, such as a link or a token. */
export const CopyText = ({ text }: { text: string }) => (
  <div className={styles.copy}>
    <code className={styles.text}>{text}</code>
    <CopyButton text={text} />
  </div>
);
