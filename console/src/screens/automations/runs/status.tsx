import { useText } from '../../../i18n/i18n.tsx';
import { Badge } from '../../../ui/badge.tsx';
import type { RunStatus } from './data.ts';

export const RUN_LOOKS: Readonly<Record<RunStatus, 'plain' | 'good' | 'warn' | 'bad'>> = {
  scheduled: 'plain',
  running: 'warn',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

/** The state of a run in a word. */
export function RunStatusBadge({ status }: { status: RunStatus }) {
  const t = useText();
  return <Badge look={RUN_LOOKS[status]}>{t(`runs.status.${status}`)}</Badge>;
}
