import { createDescriber } from '../../../flow/describe.ts';
import { useFlowNames, useReferences } from '../../../flow/names.ts';
import { useTranslator } from '../../../i18n/i18n.tsx';
import type { FilterField } from '../../../ui/filter.ts';
import { FilterBar } from '../../../ui/filter-bar.tsx';
import styles from '../panel.module.css';
import { audienceTexts, conditionTexts } from './conditions.ts';
import { type InputProps, textOf, useInputContext } from './input.ts';

const GENERAL = [
  'word',
  'text',
  'label',
  'noLabel',
  'subscribed',
  'isOpen',
  'language',
  'chatStatus',
  'channel',
  'created',
  'everybody',
] as const;
type General = (typeof GENERAL)[number];
const isGeneral = (id: string): id is General => GENERAL.some((one) => one === id);

/** A condition as chips, all of which must be true, or as text. */
export function ConditionField({
  label,
  value,
  error,
  onChange,
  of,
}: InputProps & { of: 'run' | 'audience' }) {
  const translator = useTranslator();
  const { t, formatAge } = translator;
  const { definition } = useInputContext();
  const { attributes = [], labels = [], channels = [] } = useReferences();
  const describer = createDescriber(translator, useFlowNames());
  const saved = definition.steps.flatMap(({ parameters }) =>
    typeof parameters?.saveAs === 'string' ? [parameters.saveAs] : [],
  );
  const texts =
    of === 'run'
      ? conditionTexts({ attributes, variables: definition.variables, saved })
      : audienceTexts({ attributes });
  const byId = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  const ago = (days: number): string =>
    formatAge(new Date(Date.now() - days * 86_400_000 + 60_000), new Date());
  const yesOrNo = [
    { value: 'true', label: t('flow.yes') },
    { value: 'false', label: t('flow.no') },
  ];
  const options: Partial<Record<General, readonly { value: string; label: string }[]>> = {
    label: byId(labels),
    noLabel: byId(labels),
    channel: byId(channels),
    subscribed: yesOrNo,
    isOpen: yesOrNo,
    chatStatus: (['open', 'snoozed', 'closed'] as const).map((status) => ({
      value: status,
      label: t(`flow.status.${status}`),
    })),
    created: [
      { value: 'P1D', label: ago(1) },
      { value: 'P7D', label: ago(6) },
      { value: 'P30D', label: ago(30) },
    ],
    everybody: [{ value: 'all', label: t('flow.yes') }],
  };
  const titleOf = (id: string): string => {
    if (isGeneral(id)) return t(`automations.condition.${id}`);
    const [kind = '', name = ''] = id.split(/:(.*)/s);
    const shown =
      kind === 'attribute' ? (attributes.find((one) => one.externalId === name)?.name ?? name) : name;
    return t(`automations.condition.${kind as 'attribute'}`, { name: shown });
  };
  const fields = Object.keys(texts).map((id): FilterField => {
    const choices = isGeneral(id) ? options[id] : undefined;
    return {
      id,
      title: titleOf(id),
      describe: (chosen) => {
        if (id === 'everybody') return titleOf(id);
        const name =
          choices?.find((one) => one.value === chosen)?.label ?? (choices ? t('flow.deleted') : chosen);
        return choices && id !== 'created'
          ? `${titleOf(id)}: ${name}`
          : describer.condition(texts[id]?.write(chosen));
      },
      ...(choices === undefined ? {} : { options: choices }),
    };
  });
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{label}</legend>
      <FilterBar
        texts={texts}
        fields={fields}
        filter={textOf(value)}
        error={undefined}
        example={of === 'run' ? 'hasWord(message.text,"yes")' : 'eq(language,"de")'}
        add={t('automations.addCondition')}
        onChange={(filter) => onChange(filter, '')}
      />
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
