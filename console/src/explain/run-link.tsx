import { useScope } from '../api/session.tsx';
import { AddressLink } from './address-link.tsx';
import { runAddress, traceAddress, useHasScreen } from './links.ts';

interface RunLinkProps {
  runId: string;
  automationId: string;
  /** Of the automation. */
  name: string;
}

/** The name of an automation, which leads to what a run of it did. */
export function RunLink({ runId, automationId, name }: RunLinkProps) {
  const hasScreen = useHasScreen();
  const canTrace = useScope('automations:read');
  if (hasScreen('/automations'))
    return <AddressLink address={runAddress(automationId, runId)}>{name}</AddressLink>;
  return canTrace ? <AddressLink address={traceAddress(runId)}>{name}</AddressLink> : name;
}
