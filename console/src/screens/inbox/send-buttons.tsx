import { useText } from '../../i18n/i18n.tsx';
import { KeyCaps } from '../../keys/key-caps.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import styles from './composer.module.css';

interface SendButtonsProps {
  isNote: boolean;
  isDisabled: boolean;
  isBusy: boolean;
  canClose: boolean;
  onSend: (closes: boolean) => void;
  onLater: () => void;
}

/** Sends what was written: now, now and done with it, or later. A note is stored at once. */
export function SendButtons({ isNote, isDisabled, isBusy, canClose, onSend, onLater }: SendButtonsProps) {
  const t = useText();
  return (
    <>
      <span className={styles.spacer}>
        <KeyCaps keys="mod+Enter" />
      </span>
      <Button
        look="primary"
        icon={isNote ? 'note' : 'send'}
        disabled={isDisabled}
        isBusy={isBusy}
        onClick={() => onSend(false)}
      >
        {t(isNote ? 'composer.addNote' : 'composer.send')}
      </Button>
      {!isNote && (
        <Menu
          label={t('composer.otherSends')}
          isDisabled={isDisabled}
          items={[
            ...(canClose
              ? [
                  {
                    id: 'close',
                    label: t('composer.sendAndClose'),
                    icon: 'check' as const,
                    run: () => onSend(true),
                  },
                ]
              : []),
            { id: 'later', label: t('composer.sendLater'), icon: 'clock', run: onLater },
          ]}
        >
          <Icon name="down" />
        </Menu>
      )}
    </>
  );
}
