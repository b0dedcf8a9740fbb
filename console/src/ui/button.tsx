import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  /** `primary`: the one main action. `danger`: destroys something. `quiet`: without a border, in lists and bars. */
  look?: 'normal' | 'primary' | 'danger' | 'quiet';
  icon?: IconName;
  /** The action is under way: the button cannot be pressed again, and says so. */
  isBusy?: boolean;
  children: ReactNode;
}

export function Button({
  look = 'normal',
  icon,
  isBusy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles.button, styles[look], className)}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface LinkButtonProps extends ComponentProps<'a'> {
  icon?: IconName;
}

/** A link that looks like a button, such as a download. */
export const LinkButton = ({ icon, className, children, ...rest }: LinkButtonProps) => (
  <a {...rest} className={classes(styles.button, styles.normal, className)}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
);

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: IconName;
  /** Read aloud, and shown on hover. */
  label: string;
}

/** A button with a picture only. */
export function IconButton({ icon, label, title = label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles.button, styles.quiet, styles.square, className)}
      aria-label={label}
      title={title}
    >
      <Icon name={icon} />
    </button>
  );
}
