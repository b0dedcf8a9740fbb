import styles from './progress-bar.module.css';

interface ProgressBarProps {
  /** Read aloud. */
  label: string;
  /** From 0 to 1; undefined as long as nobody knows how much there is. */
  share: number | undefined;
}

/** How far something has come. */
export const ProgressBar = ({ label, share }: ProgressBarProps) => (
  <progress
    className={styles.progress}
    aria-label={label}
    {...(share === undefined ? {} : { value: share })}
  />
);
