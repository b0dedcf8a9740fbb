import styles from './picker.module.css';

/** The colour of a label, beside its name. */
export const LabelDot = ({ color }: { color: string | null }) => (
  <svg className={styles.swatch} viewBox="0 0 12 12" aria-hidden="true">
    <circle cx="6" cy="6" r="5.500" fill={color ?? 'currentColor'} />
  </svg>
);
