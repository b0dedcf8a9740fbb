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
  const labels = [...(useLabels().data ?? [])].sort((a, b) => compare(a.name, b.name));
  return (
    <Picker
      title={t('bulk.labels')}
      placeholder={t('inbox.labelPlaceholder')}
      choices={(['add_labels', 'remove_labels'] as const).flatMap((type) =>
        labels.map(({ id, name, color }) => ({
          id: `${type}:${id}`,
          label: t(`bulk.${type}`, { name }),
          picture: <LabelDot color={color} />,
        })),
      )}
      empty={t('inbox.noLabels')}
      onPick={(choice) => {
        const [type, id] = choice.split(':', 2) as ['add_labels' | 'remove_labels', string];
        onPick({ type, labelIds: [id] });
      }}
      onClose={onClose}
    />
  );
}
