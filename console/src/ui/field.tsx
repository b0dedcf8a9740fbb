import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';

interface FieldProps {
  label: string;
  /** Explains what to enter. */
  help?: ReactNode;
  /** What is wrong with the value. */
  error?: string | undefined;
}

interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** A label, a control, and texts about it. `children` gets the attributes that connect them. */
export function Field({
  label,
  help,
  error,
  children,
}: FieldProps & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {help !== undefined && (
        <p id={`${id}-help`} className={styles.help}>
          {help}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'id'>;

/** A line of text. */
export function TextField({ label, help, error, className, ...rest }: TextFieldProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <input
          {...rest}
          {...control}
          data-autofocus={rest.autoFocus || undefined}
          className={classes(styles.input, className)}
        />
      )}
    </Field>
  );
}

/** Several lines of text. */
export function TextArea({
  label,
  help,
  error,
  ...rest
}: FieldProps & Omit<ComponentProps<'textarea'>, 'id'>) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <textarea
          rows={4}
          {...rest}
          {...control}
          data-autofocus={rest.autoFocus || undefined}
          className={styles.input}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<T extends string> extends FieldProps {
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** One of a few values. */
export function SelectField<T extends string>({
  label,
  help,
  error,
  value,
  options,
  onChange,
}: SelectFieldProps<T>) {
  return (
    <Field label={label} help={help} error={error}>
      {(control) => (
        <select
          {...control}
          className={styles.input}
          value={value}
          onChange={(event) => onChange(event.target.value as T)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A password, which a manager can fill in. New ones are `new-password`. */
export const PasswordField = ({
  isNew = false,
  ...rest
}: Omit<TextFieldProps, 'type' | 'autoComplete'> & { isNew?: boolean }) => (
  <TextField {...rest} type="password" autoComplete={isNew ? 'new-password' : 'current-password'} />
);
