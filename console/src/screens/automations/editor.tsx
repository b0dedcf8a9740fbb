import type { Automation } from '@parley/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { mayUse, useScope, useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Warning } from '../../ui/notices.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { StatusBadge, useAutomationActions } from './actions.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { type DraftState, useDraft } from './draft.ts';
import styles from './editor.module.css';
import { PublishDialog } from './publish-dialog.tsx';
import { editorTabs } from './tabs.ts';
import { useSave } from './use-save.ts';
import { VersionsDialog } from './versions-dialog.tsx';

/** One automation: its name, what can be done to it, and its tabs. */
export function Editor({ automation, tab }: { automation: Automation; tab: string | undefined }) {
  const t = useText();
  const navigate = useNavigate();
  const { membership } = useWorkspace();
  const canWrite = useScope('automations:write');
  const draft = useDraft(automation);
  const tabs = editorTabs.filter(({ scope }) => mayUse(membership, scope));
  const chosen = tabs.find(({ id }) => id === tab) ?? tabs[0];
  const Content = chosen?.component;
  return (
    <div className={styles.editor}>
      <EditorHeader automation={automation} draft={draft} canWrite={canWrite} />
      {canWrite && draft.isRestored && (
        <Warning
          action={<Button onClick={() => draft.takeSaved(automation)}>{t('automations.discard')}</Button>}
        >
          {t('automations.restored')}
        </Warning>
      )}
      {tabs.length > 1 && chosen && (
        <Tabs
          label={automation.name}
          tabs={tabs.map(({ id, title }) => ({ id, label: t(title) }))}
          chosen={chosen.id}
          onChoose={(id) =>
            void navigate({ to: `/automations/${automation.id}${id === tabs[0]?.id ? '' : `/${id}`}` })
          }
        />
      )}
      <div className={styles.content}>
        {Content && <Content automation={automation} definition={draft.draft.definition} draft={draft} />}
      </div>
    </div>
  );
}

interface EditorHeaderProps {
  automation: Automation;
  draft: DraftState;
  canWrite: boolean;
}

function EditorHeader({ automation, draft, canWrite }: EditorHeaderProps) {
  const t = useText();
  const [opened, setOpened] = useState<'publish' | 'versions'>();
  const { save, conflict, endConflict } = useSave(automation, draft);
  const actions = useAutomationActions();
  const { isDirty, isUnfinished, canUndo, canRedo, undo, redo } = draft;
  const canSave = isDirty && !isUnfinished;
  const hasUnpublished = isDirty || automation.activeVersionId !== automation.latestVersionId;
  useKeys(
    canWrite
      ? [
          { keys: 'mod+z', label: t('automations.undo'), run: undo },
          { keys: 'mod+shift+z', label: t('automations.redo'), run: redo },
          {
            keys: 'mod+s',
            label: t('automations.save'),
            run: () => {
              if (canSave) save.mutate();
            },
          },
        ]
      : [],
  );
  const state =
    isDirty || isUnfinished
      ? t('automations.unsaved')
      : hasUnpublished
        ? t('automations.notPublished', { number: automation.latestVersion.number })
        : t('automations.published', { number: automation.latestVersion.number });
  return (
    <header className={styles.header}>
      <Link
        to="/automations"
        className={styles.back}
        aria-label={t('automations.all')}
        title={t('automations.all')}
      >
        <Icon name="back" />
      </Link>
      <div className={styles.names}>
        {canWrite ? (
          <input
            className={styles.name}
            aria-label={t('automations.name')}
            value={draft.draft.name}
            maxLength={200}
            dir="auto"
            onChange={({ target }) => draft.rename(target.value)}
          />
        ) : (
          <h1 className={styles.heading}>{automation.name}</h1>
        )}
        <div className={styles.state}>
          <StatusBadge status={automation.status} />
          <span role="status">{state}</span>
        </div>
      </div>
      <div className={styles.actions}>
        {canWrite && (
          <>
            <IconButton icon="undo" label={t('automations.undo')} disabled={!canUndo} onClick={undo} />
            <IconButton icon="redo" label={t('automations.redo')} disabled={!canRedo} onClick={redo} />
            <Button disabled={!canSave} isBusy={save.isPending} onClick={() => save.mutate()}>
              {t('automations.save')}
            </Button>
            <Button
              look="primary"
              disabled={!hasUnpublished || isUnfinished || automation.status === 'archived'}
              onClick={() => setOpened('publish')}
            >
              {t('automations.publish')}
            </Button>
          </>
        )}
        <Menu
          label={t('settings.actions', { name: automation.name })}
          items={[
            {
              id: 'versions',
              label: t('automations.versions'),
              icon: 'clock',
              run: () => setOpened('versions'),
            },
            ...(canWrite ? actions.itemsOf(automation) : []),
          ]}
        >
          <Icon name="more" />
        </Menu>
      </div>
      {opened === 'publish' && (
        <PublishDialog
          automation={automation}
          draft={draft}
          onConflict={(error) => save.showConflict(error)}
          onClose={() => setOpened(undefined)}
        />
      )}
      {opened === 'versions' && (
        <VersionsDialog automation={automation} draft={draft} onClose={() => setOpened(undefined)} />
      )}
      {conflict && (
        <ConflictDialog theirs={conflict} draft={draft} onSave={save.overwrite} onClose={endConflict} />
      )}
      {actions.dialog}
    </header>
  );
}
