import { type Automation, type AutomationVersion, searchAutomationVersions } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead } from '../../api/api.ts';
import { useScope } from '../../api/session.tsx';
import { FlowPicture } from '../../flow/flow-picture.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { ChangeList } from './change-list.tsx';
import { versionsKey } from './data.ts';
import styles from './dialogs.module.css';
import type { DraftState } from './draft.ts';
import { definitionOf } from './steps.ts';

interface VersionsDialogProps {
  automation: Automation;
  draft: DraftState;
  onClose: () => void;
}

const NEWEST = 100;

/** Everything that was ever saved: to look at, and to bring back. */
export function VersionsDialog({ automation, draft, onClose }: VersionsDialogProps) {
  const t = useText();
  const canWrite = useScope('automations:write');
  const [chosenId, setChosenId] = useState(automation.latestVersionId);
  const versions = useRead(versionsKey(automation.id), (signal) =>
    searchAutomationVersions(client, {
      path: { automationId: automation.id },
      body: { sortBy: 'desc(number)', pagination: { limit: NEWEST } },
      signal,
    }),
  );
  const chosen = versions.data?.items.find(({ id }) => id === chosenId);
  const restore = (version: AutomationVersion): void => {
    draft.change(definitionOf(version));
    onClose();
  };
  return (
    <Dialog
      title={t('automations.versionsOf', { name: automation.name })}
      isWide
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('action.close')}</Button>
          {canWrite && chosen && (
            <Button look="primary" onClick={() => restore(chosen)}>
              {t('automations.restore', { number: chosen.number })}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={versions}>
        {({ items }) => (
          <div className={styles.versions}>
            <ul className={styles.versionList}>
              {items.map(({ id, number, createdAt }) => (
                <li key={id}>
                  <button
                    type="button"
                    className={classes(styles.version, id === chosenId && styles.chosen)}
                    aria-pressed={id === chosenId}
                    onClick={() => setChosenId(id)}
                  >
                    <span>{t('automations.version', { number })}</span>
                    {id === automation.activeVersionId && <Badge look="good">{t('automations.live')}</Badge>}
                    <span className={styles.muted}>
                      <RelativeTime at={createdAt} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            {chosen && (
              <div className={styles.shown}>
                <div className={styles.picture}>
                  <FlowPicture
                    key={chosen.id}
                    label={t('automations.version', { number: chosen.number })}
                    definition={chosen}
                  />
                </div>
                <ChangeList
                  title={t('automations.changesToDraft')}
                  before={chosen}
                  after={draft.draft.definition}
                />
              </div>
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
