import type { Campaign } from '@parley/sdk';
import { contactFilters, EVERYBODY } from '../../contact-filter/contact-filters.ts';
import { useContactFields } from '../../contact-filter/use-contact-fields.ts';
import { useText } from '../../i18n/i18n.tsx';
import { readFilter } from '../../ui/filter.ts';
import { useSegments } from './data.ts';

/** What a filter of contacts says, in words. */
export function useFilterText(): (filter: string) => string {
  const t = useText();
  const fields = useContactFields();
  return (filter) => {
    if (filter === '' || filter === EVERYBODY) return t('campaigns.everybody');
    const chips = readFilter(contactFilters, filter);
    if (chips === undefined) return filter;
    return chips
      .map(({ field, value }) => fields.find(({ id }) => id === field)?.describe(value) ?? value)
      .join(', ');
  };
}

/** Who gets a campaign, in words. */
export function useAudienceText(): (campaign: Pick<Campaign, 'audience' | 'segmentId'>) => string {
  const t = useText();
  const describe = useFilterText();
  const segments = useSegments().data;
  return ({ audience, segmentId }) => {
    if (segmentId !== null)
      return segments?.find(({ id }) => id === segmentId)?.name ?? t('campaigns.segment');
    return audience === null ? t('campaigns.nobodyYet') : describe(audience);
  };
}
