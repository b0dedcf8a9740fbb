import { useEffect, useState, useSyncExternalStore } from 'react';
import { useText } from '../i18n/i18n.tsx';
import { useLiveState } from '../live/live-provider.tsx';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './banners.module.css';
import { useNewVersion } from './new-version.ts';

/** A connection that comes back at once is not worth a word. */
const QUIET_MS = 2_000;

function subscribeToNetwork(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** True once something has been so for a while. */
function useLasting(isSo: boolean, ms: number): boolean {
  const [hasLasted, setHasLasted] = useState(false);
  useEffect(() => {
    if (!isSo) return setHasLasted(false);
    const timer = setTimeout(() => setHasLasted(true), ms);
    return () => clearTimeout(timer);
  }, [isSo, ms]);
  return isSo && hasLasted;
}

/** What a person should know about the connection and the version, above everything. */
export function Banners() {
  const t = useText();
  const isOnline = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  const isReconnecting = useLasting(useLiveState() === 'reconnecting', QUIET_MS);
  const hasNewVersion = useNewVersion();
  return (
    <div role="status">
      {!isOnline ? (
        <div className={classes(styles.banner, styles.warn)}>
          <Icon name="offline" />
          <span>{t('state.offline')}</span>
        </div>
      ) : (
        isReconnecting && (
          <div className={classes(styles.banner, styles.warn)}>
            <Icon name="offline" />
            <span>{t('state.reconnecting')}</span>
          </div>
        )
      )}
      {hasNewVersion && (
        <div className={styles.banner}>
          <Icon name="info" />
          <span>{t('state.newVersion')}</span>
          <Button onClick={() => window.location.reload()}>{t('state.reload')}</Button>
        </div>
      )}
    </div>
  );
}
