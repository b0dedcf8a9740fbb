import { useState } from 'react';
import { LabelAutomations } from '../../contact-form/label-automations.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import type { BulkAction } from './bulk.ts';
import { useLabels } from './data.ts';
import { LabelDot } from './label-dot.tsx';
import { Picker } from './picker.tsx';

interface BulkLabelPickerProps {
  onPick: (action: BulkAction) => void;
  onClose: () => void;
}

/** A label that all contacts of the chosen chats get or lose. */
export function BulkLabelPicker({ onPick, onClose }: BulkLabelPickerProps) {
  const { t, compare } = useTranslator();
  const { data = [], isPending } = useLabels();
  const [starts, setStarts] = useState(false);
  const labels = [...data].sort((a, b) => compare(a.name, b.name));
  return (
    <Picker
      title={t('bulk.labels')}
      placeholder={t('inbox.labelPlaceholder')}
      choices={(['add_label', 'remove_label'] as const).flatMap((type) =>
        labels.map(({ id, name, color }) => ({
          id: `${type}:${id}`,
          label: t(`bulk.${type}`, { name }),
          picture: <LabelDot color={color} />,
        })),
      )}
      empty={t('inbox.noLabels')}
      isWaiting={isPending}
      onPick={(choice) => {
        const [type, labelId] = choice.split(':', 2) as ['add_label' | 'remove_label', string];
        onPick({ type, labelId, ...(starts && type === 'add_label' ? { triggerAutomations: true } : {}) });
      }}
      onClose={onClose}
    >
      <LabelAutomations starts={starts} onChange={setStarts} />
    </Picker>
  );
}
