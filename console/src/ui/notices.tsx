import { ParleyError } from '@parley/sdk';
import type { ReactNode } from 'react';
import { describeError } from '../api/errors.ts';
import { useText } from '../i18n/i18n.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './notices.module.css';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  /** What will be here, and how it gets here. */
  children: ReactNode;
  /** The first thing to do. */
  action?: ReactNode;
}

/** What a screen shows while it has nothing to show: it teaches. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <span className={styles.picture}>
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p className={styles.teaching}>{children}</p>
      {action}
    </div>
  );
}

/** What went wrong and what to do. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useText();
  const requestId = error instanceof ParleyError ? error.requestId : undefined;
  return (
    <div className={styles.error} role="alert">
      <Icon name="warning" />
      <div className={styles.errorText}>
        <p className={styles.message}>{describeError(error, t)}</p>
        {requestId !== undefined && <p className={styles.meta}>{t('error.requestId', { id: requestId })}</p>}
      </div>
      {onRetry && <Button onClick={onRetry}>{t('error.again')}</Button>}
    </div>
  );
}

/** Something that works less well than it should, and what to do. */
export const Warning = ({ children, action }: { children: ReactNode; action?: ReactNode }) => (
  <div className={classes(styles.error, styles.warning)} role="status">
    <Icon name="warning" />
    <div className={styles.errorText}>
      <div className={styles.message}>{children}</div>
    </div>
    {action}
  </div>
);

/** Grey lines in place of a content that takes longer than 150 ms. Before that nothing is shown, so that nothing flashes. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const t = useText();
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">{t('state.loading')}</span>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={index} className={styles.line} />
      ))}
    </div>
  );
}

interface Loadable<T> {
  data: T | undefined;
  error: unknown;
  refetch(): unknown;
}

/** Shows what was read, or that it is being read, or why it could not be: `<Loaded query={labels}>{(data) => …}</Loaded>`. */
export function Loaded<T>({
  query,
  lines,
  children,
}: {
  query: Loadable<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton {...(lines === undefined ? {} : { lines })} />;
}
