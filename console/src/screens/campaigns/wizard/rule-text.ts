import { useTranslator } from '../../../i18n/i18n.tsx';
import { DAYS, type Day, readRule } from './times.ts';

/** The name of a day in the language of the person. 2024-01-01 was a Monday. */
export function useDayName(): (day: Day) => string {
  const { language } = useTranslator();
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  return (day) => names.format(new Date(Date.UTC(2024, 0, 1 + DAYS.indexOf(day))));
}

/** When a campaign recurs, in words. */
export function useRuleText(): (rules: readonly string[]) => string {
  const { t } = useTranslator();
  const nameOf = useDayName();
  return (rules) => {
    const rule = readRule(rules);
    if (!rule) return rules.join(' ');
    const often = t(`campaigns.every.${rule.frequency}`);
    const days = rule.days.length === 0 ? '' : ` (${rule.days.map(nameOf).join(', ')})`;
    return `${often}${days}${rule.count === undefined ? '' : `, ${t('campaigns.times', { count: rule.count })}`}`;
  };
}
