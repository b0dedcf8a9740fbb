import type { Campaign } from '@parley/sdk';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';

const LOOKS: Partial<Record<Campaign['status'], 'good' | 'warn' | 'bad'>> = {
  running: 'good',
  scheduled: 'good',
  paused: 'warn',
  failed: 'bad',
};

/** A campaign's status in a word. */
export function StatusBadge({ status }: Pick<Campaign, 'status'>) {
  const t = useText();
  return <Badge look={LOOKS[status] ?? 'plain'}>{t(`campaigns.status.${status}`)}</Badge>;
}
