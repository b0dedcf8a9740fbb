import type { Channel } from '@parley/sdk';
import { useText } from '../../i18n/i18n.tsx';
import { type FilterField, type FilterTexts, oneOf, written } from '../../ui/filter.ts';
import { CATEGORIES, STATUSES } from './data.ts';

const equals = (field: string, values: readonly string[]) =>
  oneOf(Object.fromEntries(values.map((value) => [value, `eq(${field},"${value}")`])));

/** How conditions about templates are written. */
export const templateFilters = {
  status: equals('status', STATUSES),
  channel: written('eq', 'channelId'),
  category: equals('category', CATEGORIES),
  language: written('eq', 'language'),
  name: written('contains', 'name'),
} satisfies FilterTexts;

type Field = keyof typeof templateFilters;

/** What templates can be filtered by. */
export function useTemplateFields(channels: readonly Channel[]): FilterField[] {
  const t = useText();
  const options: Partial<Record<Field, readonly { value: string; label: string }[]>> = {
    status: STATUSES.map((value) => ({ value, label: t(`templates.status.${value}`) })),
    channel: channels.map(({ id, name }) => ({ value: id, label: name })),
    category: CATEGORIES.map((value) => ({ value, label: t(`templates.category.${value}`) })),
  };
  return (Object.keys(templateFilters) as Field[]).map((id) => {
    const choices = options[id];
    const nameOf = (value: string): string => choices?.find((one) => one.value === value)?.label ?? value;
    return {
      id,
      title: t(`templates.field.${id}`),
      describe: (value) => t(`templates.chip.${id}`, { value: nameOf(value) }),
      ...(choices === undefined ? {} : { options: choices }),
    };
  });
}
