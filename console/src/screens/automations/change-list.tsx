import type { FlowDefinition } from '../../flow/definition.ts';
import { createDescriber } from '../../flow/describe.ts';
import { useFlowNames } from '../../flow/names.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import styles from './dialogs.module.css';
import { type Change, compareDefinitions, type FieldChange } from './diff.ts';
import { isFieldName } from './fields.ts';

const LOOKS = { added: 'good', removed: 'bad', changed: 'warn' } as const;

/** What is different in another definition, in words. */
export function ChangeList({
  title,
  before,
  after,
}: {
  title: string;
  before: FlowDefinition;
  after: FlowDefinition;
}) {
  const translator = useTranslator();
  const { t } = translator;
  const names = useFlowNames();
  const describer = createDescriber(translator, names);
  const changes = compareDefinitions(before, after);

  const NAMES: Readonly<Record<string, (id: unknown) => string>> = {
    labelId: names.label,
    channelId: names.channel,
    userId: names.user,
    teamId: names.team,
    templateId: names.template,
    externalId: names.attribute,
  };
  const show = (path: readonly string[], value: unknown): string => {
    const last = path.at(-1) ?? '';
    if (value === undefined || value === '') return '–';
    if (typeof value === 'string' && Object.hasOwn(NAMES, last)) return NAMES[last]?.(value) ?? '';
    if (last === 'when') return describer.condition(value);
    if (/^(for|timeout)$/.test(last)) return describer.duration(value);
    return typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
  };
  const fieldName = (path: readonly string[]): string =>
    path.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : labelOf(part))).join(' ');
  // Names of headers and of values of templates are not names of fields.
  const labelOf = (name: string): string => (isFieldName(name) ? t(`autoField.${name}`) : name);
  const fieldLine = ({ path, from, to }: FieldChange): string =>
    `${path[0] === 'type' ? t('automations.kindOf') : fieldName(path)}: ${show(path, from)} → ${show(path, to)}`;
  const target = (id: string | undefined): string => id ?? t('automations.endOfRun');

  const describe = (change: Change): { head: string; kind: keyof typeof LOOKS; lines: readonly string[] } => {
    switch (change.what) {
      case 'purpose':
        return {
          head: t('automations.purpose'),
          kind: 'changed',
          lines: [
            `${t(`automations.purpose.${change.from as 'service'}`)} → ${t(`automations.purpose.${change.to as 'service'}`)}`,
          ],
        };
      case 'trigger':
        return {
          head: `${describer.triggerTitle(change.to)} · ${describer.triggerSummary(change.to)}`,
          kind: 'changed',
          lines: change.fields.map(fieldLine),
        };
      case 'variable':
        return {
          head: `${t('automations.variable')} ${(change.to ?? change.from)?.name ?? ''}`,
          kind: !change.from ? 'added' : change.to ? 'changed' : 'removed',
          lines: [],
        };
      case 'step': {
        const step = change.to ?? change.from;
        const summary = step && change.to !== change.from ? describer.stepSummary(step) : '';
        return {
          head: step ? `${describer.stepTitle(step)} (${step.id})` : '',
          kind: !change.from ? 'added' : change.to ? 'changed' : 'removed',
          lines: [
            ...(change.from && change.to ? change.fields.map(fieldLine) : summary === '' ? [] : [summary]),
            ...change.ways.map(
              ({ outlet, from, to }) =>
                `${describer.outlet(change.to, outlet) || t('automations.then')}: ${target(from)} → ${target(to)}`,
            ),
          ],
        };
      }
    }
  };
  return (
    <section className={styles.changes} aria-label={title}>
      <h3>{title}</h3>
      {changes.length === 0 && <p className={styles.muted}>{t('automations.noChanges')}</p>}
      <ul className={styles.list}>
        {changes.map((change, index) => {
          const { head, kind, lines } = describe(change);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is computed as a whole
            <li key={index} className={styles.change}>
              <Badge look={LOOKS[kind]}>{t(`automations.change.${kind}`)}</Badge>
              <div className={styles.changeText}>
                <div>{head}</div>
                {lines.map((line) => (
                  <div key={line} className={styles.muted} dir="auto">
                    {line}
                  </div>
                ))}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
