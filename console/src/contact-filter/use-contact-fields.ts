import { searchLabels, searchSegments } from '@parley/sdk';
import { useAll } from '../api/lists.ts';
import { useScope } from '../api/session.tsx';
import { useText } from '../i18n/i18n.tsx';
import type { FilterField } from '../ui/filter.ts';
import { contactFilters, PERIODS } from './contact-filters.ts';

type Field = keyof typeof contactFilters;

/** What contacts can be filtered by. */
export function useContactFields(): FilterField[] {
  const t = useText();
  const labels = useAll(['labels'], searchLabels).data ?? [];
  const segments = useAll(['segments'], searchSegments, { enabled: useScope('contacts:read') }).data ?? [];
  const options: Partial<Record<Field, readonly { value: string; label: string }[]>> = {
    label: labels.map(({ id, name }) => ({ value: id, label: name })),
    segment: segments.map(({ id, name }) => ({ value: id, label: name })),
    subscribed: [
      { value: 'true', label: t('contacts.yes') },
      { value: 'false', label: t('contacts.no') },
    ],
    created: PERIODS.map((value) => ({ value, label: t(`contacts.${value}`) })),
  };
  return (Object.keys(contactFilters) as Field[]).map((id) => {
    const choices = options[id];
    const nameOf = (value: string): string => choices?.find((one) => one.value === value)?.label ?? value;
    return {
      id,
      title: t(`contacts.field.${id}`),
      describe: (value) => t(`contacts.chip.${id}`, { value: nameOf(value) }),
      ...(choices === undefined ? {} : { options: choices }),
    };
  });
}
