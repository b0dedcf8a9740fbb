import styles from './choices.module.css';

interface ChoicesProps {
  label: string;
  options: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** Said in place of options while there are none. */
  none?: string;
  error?: string | undefined;
}

/** Any number of a few values. */
export function Choices({ label, options, chosen, onChange, none, error }: ChoicesProps) {
  const toggle = (value: string): void =>
    onChange(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>{label}</legend>
      {options.length === 0 && <p className={styles.none}>{none}</p>}
      <div className={styles.options}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={() => toggle(option.value)}
            />
            <span className={styles.text}>{option.label}</span>
          </label>
        ))}
      </div>
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
