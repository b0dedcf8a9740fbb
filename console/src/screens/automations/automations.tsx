import { getAutomation } from '@parley/sdk';
import { useParams } from '@tanstack/react-router';
import { client, useRead } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { NotFound } from '../../app/not-found.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { AutomationList } from './automation-list.tsx';
import { automationKey } from './data.ts';
import { Editor } from './editor.tsx';

/** What answers by itself: a list, or one automation. */
export function Automations() {
  const { automationId, tab } = useParams({ strict: false }) as { automationId?: string; tab?: string };
  return automationId === undefined ? (
    <AutomationList />
  ) : (
    <OneAutomation key={automationId} automationId={automationId} tab={tab} />
  );
}

function OneAutomation({ automationId, tab }: { automationId: string; tab: string | undefined }) {
  const automation = useRead(automationKey(automationId), (signal) =>
    getAutomation(client, { path: { automationId }, signal }),
  );
  if (statusOf(automation.error) === 404) return <NotFound />;
  return (
    <Loaded query={automation} lines={6}>
      {(found) => <Editor automation={found} tab={tab} />}
    </Loaded>
  );
}
