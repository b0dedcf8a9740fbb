import { useText } from '../../i18n/i18n.tsx';
import { type FilterField, type FilterTexts, oneOf, written } from '../../ui/filter.ts';

export const DELIVERY_STATUSES = ['failed', 'pending', 'delivered', 'cancelled'] as const;
const PERIODS = ['PT1H', 'P1D', 'P7D', 'P30D'] as const;

/** How conditions about deliveries are written. */
export const deliveryFilters = {
  status: oneOf(Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, `eq(status,"${status}")`]))),
  event: written('startsWith', 'eventType'),
  created: oneOf(Object.fromEntries(PERIODS.map((period) => [period, `ge(createdAt,now("-${period}"))`]))),
} satisfies FilterTexts;

/** What deliveries can be filtered by. */
export function useDeliveryFields(): FilterField[] {
  const t = useText();
  const options = {
    status: DELIVERY_STATUSES.map((value) => ({ value, label: t(`webhooks.delivery.${value}`) })),
    event: undefined,
    created: PERIODS.map((value) => ({ value, label: t(`webhooks.${value}`) })),
  };
  return (Object.keys(deliveryFilters) as (keyof typeof deliveryFilters)[]).map((id) => {
    const choices: readonly { value: string; label: string }[] | undefined = options[id];
    const nameOf = (value: string): string => choices?.find((one) => one.value === value)?.label ?? value;
    return {
      id,
      title: t(`webhooks.field.${id}`),
      describe: (value) => t(`webhooks.chip.${id}`, { value: nameOf(value) }),
      ...(choices === undefined ? {} : { options: choices }),
    };
  });
}
