import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';

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
}

const move = (list: HTMLElement, step: number, from: Element | null): void => {
  const items = [...list.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const index = items.indexOf(from as HTMLElement);
  items.at((index + step + (index < 0 && step < 0 ? 1 : 0)) % items.length)?.focus();
};

/** A button that opens a list of actions above everything else. */
export function Menu({ label, children, items, className }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  /** Beside the button, inside the window: browsers without anchors have no other way. */
  function place(): void {
    const popover = list.current as HTMLDivElement;
    const { left, right, bottom, top } = (button.current as HTMLButtonElement).getBoundingClientRect();
    const { width, height } = popover.getBoundingClientRect();
    const x = left + width > innerWidth - 8 ? Math.max(8, right - width) : left;
    const y = bottom + height + 4 > innerHeight - 8 ? Math.max(8, top - height - 4) : bottom + 4;
    popover.style.left = `${x}px`;
    popover.style.top = `${y}px`;
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(event.currentTarget, step, document.activeElement);
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className={classes(styles.button, className)}
        popoverTarget={id}
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
          place();
          move(event.currentTarget, 1, null);
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
