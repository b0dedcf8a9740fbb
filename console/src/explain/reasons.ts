import type { AutomationExplanation } from '@parley/sdk';

type Reason = AutomationExplanation['reasons'][number]['code'];

/** What people most probably ask about comes first. */
const ORDER: Readonly<Record<Reason, number>> = {
  missing_variables: 1,
  chain_too_deep: 1,
  no_keyword: 2,
  assigned_to_user: 2,
  paused: 2,
  other_channel: 2,
  other_label: 2,
  unsubscribed: 2,
  automatic_mail: 2,
  from_automation: 2,
  triggers_off: 2,
  published_later: 3,
  not_active: 4,
  other_trigger: 5,
};
const rankOf = ({ started, reasons, continuedRunId }: AutomationExplanation): number =>
  started || continuedRunId !== null ? 0 : Math.min(...reasons.map(({ code }) => ORDER[code]));

/** Those that started or went on first, then those that nearly did. */
export const sortByRelevance = (automations: readonly AutomationExplanation[]): AutomationExplanation[] =>
  automations.toSorted((a, b) => rankOf(a) - rankOf(b));
