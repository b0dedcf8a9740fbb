import { useText } from '../i18n/i18n.tsx';
import { SelectField } from '../ui/field.tsx';

interface LabelAutomationsProps {
  starts: boolean;
  onChange: (starts: boolean) => void;
}

/** Whether a label that many contacts get starts the automations that wait for it. */
export function LabelAutomations({ starts, onChange }: LabelAutomationsProps) {
  const t = useText();
  return (
    <SelectField
      label={t('contactBulk.automations')}
      value={starts ? 'start' : 'none'}
      options={(['none', 'start'] as const).map((value) => ({
        value,
        label: t(`contactBulk.automations.${value}`),
      }))}
      onChange={(chosen) => onChange(chosen === 'start')}
    />
  );
}
