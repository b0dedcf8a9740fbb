import type { FoundDelivery } from '@parley/sdk';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './webhooks.module.css';

const LOOKS = {
  pending: 'plain',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'warn',
} as const;

type State = Pick<FoundDelivery, 'status' | 'nextAttemptAt' | 'attemptCount'>;

/** What became of a delivery, and when it is tried again. */
export function DeliveryState({ of: { status, nextAttemptAt, attemptCount } }: { of: State }) {
  const t = useText();
  return (
    <>
      <Badge look={status === 'pending' && attemptCount > 0 ? 'warn' : LOOKS[status]}>
        {t(`webhooks.delivery.${status}`)}
      </Badge>
      {status === 'pending' && attemptCount > 0 && nextAttemptAt !== null && (
        <div className={styles.muted}>
          {t('webhooks.nextAttempt')} <RelativeTime at={nextAttemptAt} />
        </div>
      )}
    </>
  );
}
