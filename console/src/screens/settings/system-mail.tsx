import type { SystemMailState } from '@parley/sdk';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { Warning } from '../../ui/notices.tsx';
import styles from './settings.module.css';

/** Whether invitations and links for new passwords are mailed. A channel that cannot send is a warning. */
export function SystemMail({ state, link }: { state: SystemMailState; link: ReactNode }) {
  const t = useText();
  const { status, problem } = state;
  if (status === 'failing' || status === 'missing')
    return (
      <div className={styles.wide}>
        <Warning action={link}>
          {t(`systemMail.${status}`)}
          {problem !== null && <div className={styles.muted}>{problem}</div>}
        </Warning>
      </div>
    );
  return (
    <p>
      {t(`systemMail.${status}`)} {link}
    </p>
  );
}
