import { useTranslator } from '../i18n/i18n.tsx';
import { classes } from '../ui/classes.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import type { FlowDefinition } from './definition.ts';
import type { Describer } from './describe.ts';
import styles from './flow.module.css';
import type { FlowNode } from './graph.ts';
import type { StepPaint } from './picture-props.ts';
import { stepIcons, triggerIcons } from './step-icons.ts';

interface NodeState {
  isSelected: boolean;
  isTabStop: boolean;
  issues: readonly string[];
  paint: StepPaint | undefined;
  /** Left out: it cannot be opened. */
  onOpen: (() => void) | undefined;
}

export interface NodeView extends NodeState {
  id: string;
  look: 'trigger' | 'step' | 'end' | 'missing';
  icon: IconName;
  title: string;
  summary: string;
}

/** What a node shows. Only steps and the trigger can be opened. */
export function viewOf(
  node: FlowNode,
  { trigger }: FlowDefinition,
  describer: Describer,
  state: NodeState,
): NodeView {
  const base = { id: node.id, ...state };
  switch (node.kind) {
    case 'trigger':
      return {
        ...base,
        look: 'trigger',
        icon: triggerIcons[trigger.type] ?? 'automation',
        title: describer.triggerTitle(trigger),
        summary: describer.triggerSummary(trigger),
      };
    case 'step':
      return {
        ...base,
        look: node.step.type === 'end' ? 'end' : 'step',
        icon: stepIcons[node.step.type] ?? 'warning',
        title: describer.stepTitle(node.step),
        summary: describer.stepSummary(node.step),
      };
    case 'end':
      return {
        ...base,
        onOpen: undefined,
        look: 'end',
        icon: 'stop',
        title: describer.stepTitle({ type: 'end' }),
        summary: '',
      };
    case 'missing':
      return {
        ...base,
        onOpen: undefined,
        look: 'missing',
        icon: 'warning',
        title: node.stepId,
        summary: '',
      };
  }
}

/** The state in a sign, because colours alone are not enough. */
const STATES: Readonly<Record<StepPaint['state'], IconName>> = {
  done: 'check',
  current: 'next',
  failed: 'warning',
  cancelled: 'stop',
  skipped: 'minus',
  waiting: 'clock',
};

export function StepNode({ view }: { view: NodeView }) {
  const { t, formatNumber } = useTranslator();
  const { id, look, icon, title, summary, isSelected, isTabStop, issues, paint, onOpen } = view;
  const line = paint?.text ?? summary;
  const content = (
    <>
      <span className={styles.nodeIcon}>
        <Icon name={icon} />
      </span>
      <span className={styles.nodeText}>
        <span className={styles.nodeTitle}>{title}</span>
        {line !== '' && (
          <span className={styles.nodeSummary} title={line} dir="auto">
            {line}
          </span>
        )}
      </span>
      {issues.length > 0 && (
        <span className={styles.issue} title={issues.join('\n')}>
          <Icon name="warning" />
          <span className="visually-hidden">{t('flow.issues', { count: issues.length })}</span>
        </span>
      )}
      {paint && (
        <span className={styles.paint}>
          {paint.count !== undefined && formatNumber(paint.count)}
          <Icon name={STATES[paint.state]} />
          <span className="visually-hidden">{t(`flow.state.${paint.state}`)}</span>
        </span>
      )}
    </>
  );
  const className = classes(
    styles.node,
    styles[look],
    paint && styles[paint.state],
    issues.length > 0 && styles.hasIssue,
    isSelected && styles.selected,
  );
  return (
    // A node that cannot be opened can still be reached with arrow keys, to be read.
    <button
      type="button"
      className={className}
      data-item={id}
      data-state={paint?.state}
      tabIndex={isTabStop ? 0 : -1}
      aria-pressed={onOpen ? isSelected : undefined}
      onClick={onOpen}
    >
      {content}
    </button>
  );
}
