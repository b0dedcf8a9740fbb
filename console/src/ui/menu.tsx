import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';
import { moveFocus, placeBeside } from './popover.ts';

export interface MenuItem {
  id: string;
  label: string;
  icon?: IconName;
  /** The present choice of several. */
  isChosen?: boolean;
  isDanger?: boolean;
  /** A line separates it from what is above. */
  startsGroup?: boolean;
  run(): void;
}

interface MenuProps {
  /** The name of the button, read aloud. */
  label: string;
  /** What the button shows. */
  children: ReactNode;
  items: readonly MenuItem[];
  className?: string | undefined;
  isDisabled?: boolean;
}

const ITEMS = '[role^=menuitem]';

/** A button that opens a list of actions above everything else. */
export function Menu({ label, children, items, className, isDisabled = false }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moveFocus(event.currentTarget, ITEMS, step);
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className={classes(styles.button, className)}
        popoverTarget={id}
        disabled={isDisabled}
        aria-haspopup="menu"
        aria-label={label}
        title={label}
      >
        {children}
      </button>
      <div
        ref={list}
        id={id}
        role="menu"
        aria-label={label}
        popover="auto"
        className={styles.menu}
        onKeyDown={onKeyDown}
        onToggle={(event) => {
          if (event.newState !== 'open') return;
          placeBeside(button.current as HTMLButtonElement, event.currentTarget);
          event.currentTarget.querySelector<HTMLElement>(ITEMS)?.focus();
        }}
      >
        {items.map((item) => (
          <button
            key={item.id}
            type="button"
            {...(item.isChosen === undefined
              ? { role: 'menuitem' }
              : { role: 'menuitemradio', 'aria-checked': item.isChosen })}
            tabIndex={-1}
            className={classes(styles.item, item.isDanger && styles.danger, item.startsGroup && styles.group)}
            onClick={() => {
              list.current?.hidePopover();
              item.run();
            }}
          >
            {item.icon ? (
              <Icon name={item.icon} />
            ) : item.isChosen ? (
              <Icon name="check" />
            ) : (
              <span className={styles.gap} />
            )}
            {item.label}
          </button>
        ))}
      </div>
    </>
  );
}
