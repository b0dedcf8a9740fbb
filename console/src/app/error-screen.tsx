import { useText } from '../i18n/i18n.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/notices.tsx';
import styles from './error-screen.module.css';
import { useNewVersion } from './new-version.ts';

/** A part of the code that could not be loaded: the server has another version, or is away. */
const isMissingChunk = (error: unknown): boolean =>
  error instanceof TypeError && /import|module/i.test(error.message);

/** What is shown in place of a screen that has failed. */
export function ErrorScreen({ error }: { error: unknown }) {
  const t = useText();
  const hasNewVersion = useNewVersion();
  const reload = (
    <Button look="primary" onClick={() => window.location.reload()}>
      {t('state.reload')}
    </Button>
  );
  if (isMissingChunk(error))
    return (
      <EmptyState icon="offline" title={t('error.screen')} action={reload}>
        {hasNewVersion ? t('state.newVersion') : t('error.offline')}
      </EmptyState>
    );
  return (
    <div role="alert">
      <EmptyState icon="warning" title={t('error.screen')} action={reload}>
        {t('error.screenHelp')}
      </EmptyState>
      <pre className={styles.text}>
        {error instanceof Error ? (error.stack ?? error.message) : String(error)}
      </pre>
    </div>
  );
}
