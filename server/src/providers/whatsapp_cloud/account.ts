import type { InboundChannelHealth, InboundEvent, InboundTemplateChange } from '../inbound-event.ts';
import { idOf, type Part, partOf, partsOf, requireId, textOf, timeOf } from '../meta/payload.ts';

type Health = Pick<InboundChannelHealth, 'health' | 'problem'>;

const healthy: Health = { health: 'healthy', problem: null };
const failing = (problem: string): Health => ({ health: 'failing', problem });
const degraded = (problem: string): Health => ({ health: 'degraded', problem });

/** Words of Meta such as `RESTRICTED_BIZ_INITIATED_MESSAGING`, in a sentence. */
const wordsOf = (value: unknown): string => (textOf(value) ?? 'unknown').toLowerCase().replaceAll('_', ' ');

const dateOf = (value: unknown): string =>
  typeof value === 'string' && !/^[0-9]+$/.test(value) ? value : timeOf(value).toISOString().slice(0, 10);

/** What the account may no longer do. Only restrictions of messages matter to a channel. */
function restriction({ restriction_info }: Part): Health | undefined {
  const restrictions = partsOf(restriction_info).filter(({ restriction_type }) =>
    /MESSAGING/.test(textOf(restriction_type) ?? ''),
  );
  const [first] = restrictions;
  if (!first) return undefined;
  const kinds = restrictions.map(({ restriction_type }) => wordsOf(restriction_type)).join(', ');
  const until = first.expiration === undefined ? '' : ` until ${dateOf(first.expiration)}`;
  return failing(`Meta has restricted the WhatsApp account${until}: ${kinds}`);
}

function ban({ ban_info }: Part): Health | undefined {
  const { waba_ban_state: state, waba_ban_date: date } = partOf(ban_info);
  const when = date === undefined ? '' : ` (${dateOf(date)})`;
  if (state === 'REINSTATE') return healthy;
  if (state === 'DISABLE') return failing(`Meta has disabled the WhatsApp account${when}`);
  return state === 'SCHEDULE_FOR_DISABLE'
    ? degraded(`Meta is going to disable the WhatsApp account${when}`)
    : undefined;
}

function removal({ disconnection_info }: Part): Health {
  const reason = textOf(partOf(disconnection_info).reason);
  return failing(
    `The app has no access to the WhatsApp account any more${reason === null ? '' : `: ${wordsOf(reason)}`}`,
  );
}

/** By the event of an account. Others, such as new prices, say nothing about the channel. */
const accountEvents: Record<string, (value: Part) => Health | undefined> = {
  ACCOUNT_DELETED: () => failing('The WhatsApp account was deleted at Meta'),
  ACCOUNT_OFFBOARDED: () => failing('The number was disconnected from the WhatsApp Business app'),
  ACCOUNT_RECONNECTED: () => healthy,
  ACCOUNT_RESTRICTION: restriction,
  ACCOUNT_VIOLATION: ({ violation_info }) =>
    degraded(
      `The WhatsApp account violates a policy of Meta: ${wordsOf(partOf(violation_info).violation_type)}`,
    ),
  DISABLED_UPDATE: ban,
  PARTNER_ADDED: () => healthy,
  PARTNER_APP_INSTALLED: () => healthy,
  PARTNER_APP_UNINSTALLED: removal,
  PARTNER_REMOVED: removal,
};

const qualityEvents: Record<string, (value: Part) => Health | undefined> = {
  FLAGGED: () => degraded('The quality of the number is low: customers block or report its messages'),
  DOWNGRADE: ({ current_limit, max_daily_conversations_per_business: limit }) =>
    degraded(
      `Meta has lowered how many customers the number may write to: ${textOf(limit) ?? textOf(current_limit)}`,
    ),
  UNFLAGGED: () => healthy,
  UPGRADE: () => healthy,
};

function nameDecision({ decision, requested_verified_name, rejection_reason }: Part): Health | undefined {
  if (decision === 'APPROVED') return healthy;
  if (decision !== 'REJECTED') return undefined;
  return degraded(
    `Meta has rejected the name ${textOf(requested_verified_name)}: ${wordsOf(rejection_reason)}`,
  );
}

/** The details are in an object of their own, or beside the entity. */
function alert(value: Part): Health | undefined {
  const details = value.alert_info === undefined ? value : partOf(value.alert_info);
  const {
    alert_severity: severity,
    alert_status: status,
    alert_description: text,
    alert_type: type,
  } = details;
  if (status !== undefined && status !== 'ACTIVE') return healthy;
  if (severity !== 'CRITICAL' && severity !== 'WARNING') return undefined;
  return degraded(textOf(text) ?? wordsOf(type));
}

const eventIn = (
  events: Record<string, (value: Part) => Health | undefined>,
  value: Part,
): Health | undefined =>
  Object.hasOwn(events, String(value.event)) ? events[String(value.event)]?.(value) : undefined;

const MAX_PROBLEM = 500;

/** What Meta says about an account or a number. */
const reports: Record<string, { cause: string; read: (value: Part) => Health | undefined }> = {
  account_update: { cause: 'account', read: (value) => eventIn(accountEvents, value) },
  phone_number_quality_update: {
    cause: 'quality',
    read: (value) => eventIn(qualityEvents, value),
  },
  phone_number_name_update: { cause: 'name', read: nameDecision },
  account_alerts: { cause: 'alert', read: alert },
};

const digitsOf = (value: unknown): string => String(value ?? '').replace(/[^0-9]/g, '');

/** The account that a change is about: the business's own, also if the entry names the business. */
export const accountOf = (value: Part, entry: Part): string =>
  idOf(partOf(value.waba_info).waba_id) || idOf(entry.id);

/** Whether a report names another number of the account. */
const isOfOtherNumber = (
  { display_phone_number, entity_type, entity_id }: Part,
  { address, phoneNumberId }: { address: string; phoneNumberId: string },
): boolean =>
  (display_phone_number !== undefined && digitsOf(display_phone_number) !== digitsOf(address)) ||
  (entity_type === 'PHONE_NUMBER' && idOf(entity_id) !== phoneNumberId);

/** The health of a channel after a change that Meta reports; none for other changes. */
export function parseHealth(
  field: unknown,
  value: Part,
  time: unknown,
  channel: { address: string; phoneNumberId: string },
): InboundEvent[] {
  const report = Object.hasOwn(reports, String(field)) ? reports[String(field)] : undefined;
  if (!report || isOfOtherNumber(value, channel)) return [];
  const found = report.read(value);
  if (!found) return [];
  const problem = found.problem?.slice(0, MAX_PROBLEM) ?? null;
  const { health } = found;
  return [{ kind: 'channel_health', occurredAt: timeOf(time), cause: report.cause, health, problem }];
}

const categories: Record<string, InboundTemplateChange['category']> = {
  MARKETING: 'marketing',
  UTILITY: 'utility',
  AUTHENTICATION: 'authentication',
};
const qualities: Record<string, InboundTemplateChange['quality']> = {
  GREEN: 'green',
  YELLOW: 'yellow',
  RED: 'red',
  UNKNOWN: null,
};

export const categoryOf = (value: unknown): InboundTemplateChange['category'] =>
  Object.hasOwn(categories, String(value)) ? categories[String(value)] : undefined;

/** The category or quality that Meta has given a template. A change that is only announced is not there yet. */
export function parseTemplateChange(field: unknown, value: Part, time: unknown): InboundEvent[] {
  const isQuality = field === 'message_template_quality_update';
  const score = String(value.new_quality_score);
  const change = isQuality
    ? Object.hasOwn(qualities, score)
      ? { quality: qualities[score] ?? null }
      : {}
    : value.correct_category === undefined
      ? { category: categoryOf(value.new_category) }
      : {};
  if (Object.values(change).every((one) => one === undefined)) return [];
  return [
    {
      kind: 'template_change',
      vendorId: requireId(value.message_template_id, 'a template'),
      occurredAt: timeOf(time),
      name: textOf(value.message_template_name) ?? '',
      language: textOf(value.message_template_language) ?? '',
      ...change,
    },
  ];
}
