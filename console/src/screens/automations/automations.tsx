import { useParams } from '@tanstack/react-router';
import { statusOf } from '../../api/errors.ts';
import { NotFound } from '../../app/not-found.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useIsDeleted } from '../../live/deleted.ts';
import { DeletedPage } from '../../ui/deleted.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { AutomationList } from './automation-list.tsx';
import { useAutomation } from './data.ts';
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
  const t = useText();
  const automation = useAutomation(automationId);
  const isDeleted = useIsDeleted(automationId);
  if (isDeleted && automation.data) {
    const list = { to: '/automations', label: t('automations.all') };
    return <DeletedPage name={automation.data.name} icon="automation" list={list} />;
  }
  if (statusOf(automation.error) === 404) return <NotFound />;
  return (
    <Loaded query={automation} lines={6}>
      {(found) => <Editor automation={found} tab={tab} />}
    </Loaded>
  );
}
