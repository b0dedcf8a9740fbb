import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { type Command, runCommand, useAllCommands } from '../keys/commands.ts';
import { KeyCaps } from '../keys/key-caps.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import { Modal } from '../ui/modal.tsx';
import styles from './palette.module.css';

const GROUPS = ['screens', 'actions'] as const;

/** Every word must begin a word of the label, in any order. */
function matches({ label }: Command, text: string): boolean {
  const words = label.toLowerCase().split(/[\s:–-]+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

/** All screens and actions, found by typing. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useText();
  const id = useId();
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const all = useAllCommands();
  const found = GROUPS.flatMap((group) =>
    all.filter((one) => one.group === group && matches(one, text.trim())),
  );
  const active = found[Math.min(index, found.length - 1)];

  function choose(command: Command | undefined): void {
    if (!command) return;
    onClose();
    runCommand(command.id);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setIndex((Math.min(index, found.length - 1) + step + found.length) % found.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(active);
    }
  }
  useEffect(() => {
    if (active) document.getElementById(`${id}-${active.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, id]);

  return (
    <Modal className={styles.palette} label={t('palette.title')} onClose={onClose}>
      <div className={styles.content}>
        <div className={styles.search}>
          <Icon name="search" />
          <input
            className={styles.input}
            role="combobox"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={active ? `${id}-${active.id}` : undefined}
            aria-label={t('palette.placeholder')}
            placeholder={t('palette.placeholder')}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setIndex(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div id={`${id}-list`} role="listbox" aria-label={t('palette.title')} className={styles.list}>
          {GROUPS.map((group) => {
            const members = found.filter((one) => one.group === group);
            return (
              members.length > 0 && (
                // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box
                <div key={group} role="group" aria-label={t(`palette.${group}`)}>
                  <div className={styles.heading} aria-hidden="true">
                    {t(`palette.${group}`)}
                  </div>
                  {members.map((command) => (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
                    // biome-ignore lint/a11y/useFocusableInteractive: the input above has the focus
                    <div
                      key={command.id}
                      id={`${id}-${command.id}`}
                      role="option"
                      aria-selected={command === active}
                      className={classes(styles.option, command === active && styles.active)}
                      onClick={() => choose(command)}
                      onPointerMove={() => setIndex(found.indexOf(command))}
                    >
                      <Icon name={command.icon ?? 'next'} />
                      <span className={styles.label}>{command.label}</span>
                      {command.keys !== undefined && <KeyCaps keys={command.keys} />}
                    </div>
                  ))}
                </div>
              )
            );
          })}
        </div>
        {found.length === 0 && <p className={styles.empty}>{t('palette.empty', { text: text.trim() })}</p>}
      </div>
    </Modal>
  );
}
