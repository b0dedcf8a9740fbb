import { basePath } from '../api/client.ts';
import { useText } from '../i18n/i18n.tsx';
import { KeyCaps } from '../keys/key-caps.tsx';
import { useAllKeys } from '../keys/keys.ts';
import { Dialog } from '../ui/dialog.tsx';
import styles from './keys-dialog.module.css';

/** The page about the console that every server serves. */
export const guidePath = `${basePath}/docs/guides/console`;

const GROUPS = ['screen', 'general'] as const;

/** All keys that work on this screen. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const all = useAllKeys();
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      {GROUPS.map((group) => {
        const members = all.filter((one) => (one.group ?? 'screen') === group);
        return (
          members.length > 0 && (
            <section key={group}>
              <h3 className={styles.heading}>{t(`keys.${group}`)}</h3>
              <dl>
                {members.map(({ keys, label }) => (
                  <div key={keys} className={styles.row}>
                    <dt>{label}</dt>
                    <dd>
                      <KeyCaps keys={keys} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )
        );
      })}
      <p>
        <a href={guidePath} target="_blank" rel="noreferrer">
          {t('keys.guide')}
        </a>
      </p>
    </Dialog>
  );
}
