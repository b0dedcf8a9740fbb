import { useState } from 'react';
import { useScope } from '../../api/session.tsx';
import { FlowPicture } from '../../flow/flow-picture.tsx';
import { type InsertPoint, TRIGGER_ID } from '../../flow/graph.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { useToast } from '../../ui/toast.tsx';
import { insertStep, removeStep } from './edit.ts';
import styles from './editor.module.css';
import { type Issue, useIssues } from './issues.ts';
import { JsonPane } from './json-pane.tsx';
import { Panel } from './panel.tsx';
import { StepChooser } from './step-chooser.tsx';
import type { TabProps } from './tab-props.ts';

/** What is wrong, by the node that shows it. */
function byNode(issues: readonly Issue[]): Map<string, string[]> {
  const nodes = new Map<string, string[]>();
  for (const { nodeId, message } of issues) nodes.set(nodeId, [...(nodes.get(nodeId) ?? []), message]);
  return nodes;
}

/** The picture, and beside it the panel of what is selected, or the JSON. */
export function EditTab({ automation, definition, draft }: TabProps) {
  const translator = useTranslator();
  const { t } = translator;
  const toast = useToast();
  const canWrite = useScope('automations:write');
  const [selected, setSelected] = useState<string>();
  /** Each time the panel is opened, it gets the focus. */
  const [opened, setOpened] = useState(0);
  const [point, setPoint] = useState<InsertPoint>();
  const [showsJson, setShowsJson] = useState(false);
  const issues = useIssues(definition, canWrite, translator) ?? [];
  const { change, undo } = draft;
  const isShown = selected === TRIGGER_ID || definition.steps.some(({ id }) => id === selected);

  const remove = (stepId: string): void => {
    change(removeStep(definition, stepId));
    setSelected(undefined);
    toast({
      text: t('automations.stepRemoved', { step: stepId }),
      action: { label: t('automations.undo'), run: undo },
    });
  };
  const select = (id: string): void => {
    setShowsJson(false);
    setOpened(opened + 1);
    setSelected(id);
  };
  const close = (): void => {
    const menu = document.querySelector<HTMLElement>('[role=menu]:popover-open');
    if (menu) {
      menu.hidePopover();
      return;
    }
    setSelected(undefined);
    setShowsJson(false);
    document.querySelector<HTMLElement>(`[data-item="${CSS.escape(selected ?? TRIGGER_ID)}"]`)?.focus();
  };
  const hasPane = showsJson || isShown;
  useKeys(hasPane ? [{ keys: 'Escape', label: t('action.close'), whileTyping: true, run: close }] : []);
  const errors = issues.filter(({ isWarning }) => !isWarning).length;
  return (
    <div className={classes(styles.edit, hasPane && styles.withPane, showsJson && styles.withJson)}>
      <div className={styles.canvas}>
        <FlowPicture
          label={automation.name}
          definition={definition}
          selected={selected}
          onSelect={select}
          onInsert={canWrite ? setPoint : undefined}
          onRemove={canWrite ? remove : undefined}
          issues={byNode(issues)}
        />
        <div className={styles.corner}>
          {errors > 0 && (
            <Button
              icon="warning"
              className={styles.problems}
              onClick={() => select(issues[0]?.nodeId ?? TRIGGER_ID)}
            >
              {t('flow.issues', { count: errors })}
            </Button>
          )}
          <Button icon="code" aria-pressed={showsJson} onClick={() => setShowsJson(!showsJson)}>
            {t('automations.json')}
          </Button>
        </div>
      </div>
      {showsJson ? (
        <JsonPane
          definition={definition}
          isReadOnly={!canWrite}
          onChange={change}
          onUnfinished={draft.setIsUnfinished}
          onClose={close}
        />
      ) : (
        isShown && (
          <Panel
            key={opened}
            definition={definition}
            selected={selected as string}
            issues={issues}
            isReadOnly={!canWrite}
            onChange={change}
            onSelect={(id) => (id === undefined ? close() : setSelected(id))}
            onRemove={remove}
          />
        )
      )}
      {point && (
        <StepChooser
          onClose={() => setPoint(undefined)}
          onChoose={(type) => {
            const inserted = insertStep(definition, point, type);
            change(inserted.definition);
            setPoint(undefined);
            select(inserted.stepId);
          }}
        />
      )}
    </div>
  );
}
