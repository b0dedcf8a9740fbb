import { type ReactNode, useId } from 'react';
import styles from './wizard.module.css';

interface Option<T extends string> {
  value: T;
  label: string;
  help?: string;
  /** Shown below while it is chosen. */
  content?: ReactNode;
}

interface OptionsProps<T extends string> {
  label: string;
  value: T | undefined;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  error?: string | undefined;
}

/** One of a few ways, each with what it needs. */
export function Options<T extends string>({ label, value, options, onChange, error }: OptionsProps<T>) {
  const name = useId();
  return (
    <fieldset className={styles.options}>
      <legend className={styles.legend}>{label}</legend>
      {options.map((option) => (
        <div key={option.value} className={styles.option} data-chosen={option.value === value || undefined}>
          <label className={styles.choice}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>
              <span className={styles.optionLabel}>{option.label}</span>
              {option.help !== undefined && <span className={styles.help}>{option.help}</span>}
            </span>
          </label>
          {option.value === value && option.content !== undefined && (
            <div className={styles.optionContent}>{option.content}</div>
          )}
        </div>
      ))}
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
