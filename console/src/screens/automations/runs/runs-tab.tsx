import type { Automation } from '@parley/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { RunDetail } from './run-detail.tsx';
import { RunList } from './run-list.tsx';

/** The runs of an automation, or one of them: the address says which. */
export function RunsTab({ automation }: { automation: Automation }) {
  const navigate = useNavigate();
  const address = useSearch({ strict: false }) as Record<string, unknown>;
  const showAll = (): void => void navigate({ to: `/automations/${automation.id}/runs` });
  return typeof address.run === 'string' ? (
    <RunDetail key={address.run} automation={automation} runId={address.run} onBack={showAll} />
  ) : (
    <RunList automation={automation} />
  );
}
