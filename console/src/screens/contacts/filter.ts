import { searchLabels } from '@parley/sdk';
import { useAll } from '../../api/lists.ts';
import type { PlainKey } from '../../i18n/catalogue.ts';
import { useText } from '../../i18n/i18n.tsx';
import { type FilterField, type FilterText, oneOf, written } from '../../ui/filter.ts';

const PERIODS = ['P1D', 'P7D', 'P30D'] as const;

/** How each condition is written in the language of filters. */
const TEXTS = {
  label: written('in', 'labelIds'),
  subscribed: oneOf({ true: 'eq(isSubscribed,true)', false: 'eq(isSubscribed,false)' }),
  name: written('contains', 'fullName'),
  email: written('contains', 'email'),
  phone: written('startsWith', 'phoneNumber'),
  language: written('eq', 'language'),
  created: oneOf(Object.fromEntries(PERIODS.map((period) => [period, `ge(createdAt,now("-${period}"))`]))),
} satisfies Record<string, FilterText>;
type Field = keyof typeof TEXTS;

/** What contacts can be filtered by. */
export function useContactFields(): FilterField[] {
  const t = useText();
  const labels = useAll(['labels'], searchLabels).data ?? [];
  const named = (keys: Readonly<Record<string, PlainKey>>) =>
    Object.entries(keys).map(([value, key]) => ({ value, label: t(key) }));
  const options: Partial<Record<Field, readonly { value: string; label: string }[]>> = {
    label: labels.map(({ id, name }) => ({ value: id, label: name })),
    subscribed: named({ true: 'contacts.yes', false: 'contacts.no' }),
    created: named(Object.fromEntries(PERIODS.map((period) => [period, `contacts.${period}` as const]))),
  };
  return (Object.keys(TEXTS) as Field[]).map((id) => {
    const choices = options[id];
    const nameOf = (value: string): string => choices?.find((one) => one.value === value)?.label ?? value;
    return {
      ...TEXTS[id],
      id,
      title: t(`contacts.field.${id}`),
      describe: (value) => t(`contacts.chip.${id}`, { value: nameOf(value) }),
      ...(choices === undefined ? {} : { options: choices }),
    };
  });
}
