import type { Message } from '@parley/sdk';
import { useState } from 'react';
import { basePath } from '../../api/client.ts';
import { textIn } from '../../api/content.ts';
import { useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './thread.module.css';

/**
 * A mail as its sender made it, in a frame that can do nothing. The page brings a policy of its own, which allows no script and
 * no request; the frame has the same limits, so that neither depends on the other.
 */
export function Original({ message }: { message: Message }) {
  const t = useText();
  const { tenantId } = useWorkspace().membership;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" className={styles.link} onClick={() => setIsOpen(true)}>
        {t('message.showOriginal')}
      </button>
      {isOpen && (
        <Dialog
          title={textIn(message.content, 'subject') ?? t('message.original')}
          isWide
          onClose={() => setIsOpen(false)}
        >
          <p className={styles.meta}>{t('message.originalText')}</p>
          <iframe
            className={styles.original}
            title={t('message.original')}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
            src={`${basePath}/v3/messages/${message.id}/original?tenantId=${tenantId}`}
          />
        </Dialog>
      )}
    </>
  );
}
