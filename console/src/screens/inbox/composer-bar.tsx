import { type ReactNode, useRef } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { IconButton } from '../../ui/button.tsx';
import styles from './composer.module.css';

interface ComposerBarProps {
  isNote: boolean;
  onPick: (what: 'savedReply' | 'mention' | 'emoji') => void;
  onFiles: (files: Iterable<File>) => void;
  /** Undefined where a message can have no buttons, or has some. */
  onButtons: (() => void) | undefined;
  /** What sends it. */
  children: ReactNode;
}

/** What can be added to a reply or a note. */
export function ComposerBar({ isNote, onPick, onFiles, onButtons, children }: ComposerBarProps) {
  const t = useText();
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.bar}>
      {isNote ? (
        <IconButton icon="people" label={t('composer.mention')} onClick={() => onPick('mention')} />
      ) : (
        <>
          <IconButton icon="attach" label={t('composer.attach')} onClick={() => chooser.current?.click()} />
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              onFiles(event.target.files ?? []);
              event.target.value = '';
            }}
          />
          <IconButton
            icon="template"
            label={t('composer.savedReplies')}
            onClick={() => onPick('savedReply')}
          />
          {onButtons && <IconButton icon="buttons" label={t('composer.buttons')} onClick={onButtons} />}
        </>
      )}
      <IconButton icon="emoji" label={t('composer.emoji')} onClick={() => onPick('emoji')} />
      {children}
    </div>
  );
}
