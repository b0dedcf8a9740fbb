import type { Translator } from '../i18n/i18n.tsx';
import { type Expression, parseCondition } from './condition.ts';
import { casesOf, type FlowStep, type FlowTrigger, type Outlet, type Parameters } from './definition.ts';
import { describeDuration, readDuration } from './duration.ts';
import type { FlowNames } from './names.ts';
import { readRecurrence } from './recurrence.ts';

const MAX_CHARACTERS = 200;

/** On one line, and not longer than anybody reads. */
const shorten = (value: unknown): string => {
  const line = String(value ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_CHARACTERS
    ? `${line.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
    : line;
};

/** A value in a text: `{{ contact.firstName | default: 'there' }}`. */
const VALUE = /\{\{-?\s*([a-zA-Z_][\w.-]{0,100})[^{}]{0,200}\}\}/g;

/** Fields of conditions that have a name of their own. Others are shown as they are written. */
const FIELDS = [
  'message.text',
  'message.type',
  'contact.firstName',
  'contact.lastName',
  'contact.fullName',
  'contact.language',
  'contact.isSubscribed',
  'contact.phoneNumber',
  'contact.email',
  'contact.labelIds',
  'chat.status',
  'chat.channelId',
  'chat.assignedUserId',
  'chat.assignedTeamId',
  'hours.isOpen',
] as const;
const OPERATORS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'contains', 'startsWith', 'hasWord'] as const;
const LABELS: ReadonlySet<string> = new Set(['contact.labelIds', 'labelIds']);
const isOneOf = <T extends string>(known: readonly T[], text: string): text is T =>
  known.some((one) => one === text);

/** Says definitions in words. */
export function createDescriber({ t, language, formatDate }: Translator, names: FlowNames) {
  const REFERENCES: Readonly<Record<string, (id: unknown) => string>> = {
    'contact.labelIds': names.label,
    labelIds: names.label,
    'chat.channelId': names.channel,
    'chat.assignedUserId': names.user,
    'chat.assignedTeamId': names.team,
  };

  /** Fields of an audience are those of a contact without the prefix. */
  const fieldName = (name: string): string => {
    const known = [name, `contact.${name}`].find((one) => isOneOf(FIELDS, one));
    if (known) return t(`flow.field.${known as (typeof FIELDS)[number]}`);
    return name.startsWith('attributes.')
      ? names.attribute(name.slice('attributes.'.length))
      : name.replace(/^(variables|steps)\./, '');
  };
  /** A text on one line, with the names of the values that are put into it. */
  const textWithNames = (text: unknown): string =>
    shorten(String(text ?? '').replace(VALUE, (_, name: string) => `‹${fieldName(name)}›`));
  const valueText = (field: string, part: Expression): string => {
    if ('call' in part)
      return `${part.call}(${part.arguments.map((one) => valueText(field, one)).join(', ')})`;
    if ('name' in part) return part.name;
    const { value } = part;
    if (typeof value === 'boolean') return t(value ? 'flow.yes' : 'flow.no');
    if (typeof value !== 'string') return String(value);
    return Object.hasOwn(REFERENCES, field)
      ? (REFERENCES[field] as (id: unknown) => string)(value)
      : `“${value}”`;
  };
  /** A value that a condition was compared with, such as what the contact wrote. */
  const comparedText = (field: string, value: unknown): string => {
    const texts = (Array.isArray(value) ? value : [value]).map((one) =>
      one === null || ['string', 'number', 'boolean'].includes(typeof one)
        ? valueText(field, { value: one as string | number | boolean | null })
        : (JSON.stringify(one) ?? ''),
    );
    const known = texts.filter((text) => text !== 'null' && text !== '');
    return `${fieldName(field)}: ${shorten(known.join(', ')) || '–'}`;
  };
  const expressionText = (part: Expression): string => {
    if (!('call' in part)) return valueText('', part);
    const { call, arguments: given } = part;
    if (call === 'and' || call === 'or')
      return given.map(expressionText).join(call === 'and' ? t('flow.and') : t('flow.or'));
    const [first, ...rest] = given;
    if (call === 'not' && first) return t('flow.not', { condition: expressionText(first) });
    if (!first || !('name' in first)) return valueText('', part);
    if (LABELS.has(first.name) && (call === 'contains' || call === 'in'))
      return t('flow.hasLabel', { label: rest.map((one) => valueText(first.name, one)).join(', ') });
    const field = fieldName(first.name);
    if (call === 'isNull') return t('flow.op.isNull', { field });
    if (!isOneOf(OPERATORS, call)) return valueText('', part);
    const value = rest.map((one) => valueText(first.name, one)).join(', ');
    return t(`flow.op.${call}`, { field, value });
  };
  const condition = (text: unknown): string => {
    const written = String(text ?? '');
    const parsed = parseCondition(written);
    return shorten(parsed ? expressionText(parsed) : written);
  };

  const duration = (text: unknown): string => {
    const parts = readDuration(String(text ?? ''));
    return parts ? describeDuration(parts, language) : shorten(text) || '…';
  };
  const time = (text: unknown): string => {
    const written = String(text ?? '');
    const date = /^\d{4}-/.test(written) ? new Date(written) : undefined;
    return date && !Number.isNaN(date.getTime())
      ? `${formatDate(date)}, ${formatDate(date, 'time')}`
      : textWithNames(text) || '…';
  };
  const recurrence = (text: unknown): string => {
    const rule = readRecurrence(String(text ?? ''));
    if (!rule) return shorten(text);
    const { frequency, days, monthDay, hour, minute } = rule;
    const at = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
    const weekdays = days.map((day) => t(`flow.day.${day as 'MO'}`)).join(', ');
    return {
      HOURLY: t('flow.every.HOURLY', { minute: String(minute) }),
      DAILY: t('flow.every.DAILY', { at }),
      WEEKLY: t('flow.every.WEEKLY', { at, days: weekdays }),
      MONTHLY: t('flow.every.MONTHLY', { at, day: monthDay }),
    }[frequency];
  };

  /** What a message contains besides its text. */
  const messageText = ({ text, email, media, interactive, location, contacts }: Parameters): string => {
    const subject = (email as { subject?: unknown } | undefined)?.subject;
    const words = textWithNames(subject ?? text);
    const others = { media, interactive, location, contacts };
    const more = (Object.keys(others) as (keyof typeof others)[])
      .filter((name) => others[name] !== undefined)
      .map((name) => t(`flow.part.${name}`));
    return [...(words === '' ? [] : [`“${words}”`]), ...more].join(' + ') || t('flow.emptyMessage');
  };
  const assignment = ({ userId, teamId, strategy }: Parameters): string => {
    const given = [
      ...(typeof userId === 'string' ? [names.user(userId)] : []),
      ...(typeof teamId === 'string' ? [names.team(teamId)] : []),
      ...(strategy === 'round_robin' ? [t('flow.inTurn')] : []),
    ];
    if (given.length > 0) return given.join(', ');
    return userId === null || teamId === null ? t('flow.nobody') : t('flow.notChosen');
  };
  const SUMMARIES: Record<FlowStep['type'], (given: Parameters, step: FlowStep) => string> = {
    send_message: messageText,
    send_template: ({ templateId }) => names.template(templateId),
    wait: (given) => {
      if (given.untilOpen === true) return t('flow.waitUntilOpen');
      return 'until' in given
        ? t('flow.waitUntil', { time: time(given.until) })
        : t('flow.waitFor', { duration: duration(given.for) });
    },
    wait_for_reply: ({ timeout }) => t('flow.atMost', { duration: duration(timeout) }),
    branch: (_given, step) => t('flow.cases', { count: casesOf(step).length }),
    set_attribute: ({ externalId, value }) =>
      `${names.attribute(externalId)} = ${textWithNames(value) || '–'}`,
    add_label: ({ labelId }) => names.label(labelId),
    remove_label: ({ labelId }) => names.label(labelId),
    assign: assignment,
    set_chat_status: ({ status, snoozedUntil }) =>
      isOneOf(['open', 'snoozed', 'closed'], String(status))
        ? `${t(`flow.status.${status as 'open'}`)}${snoozedUntil === undefined ? '' : ` → ${time(snoozedUntil)}`}`
        : t('flow.notChosen'),
    http_request: ({ method, url }) => `${shorten(method)} ${textWithNames(url)}`.trim(),
    subscribe: ({ channelKind }) => kindName(channelKind),
    unsubscribe: ({ channelKind }) => kindName(channelKind),
    end: () => '',
  };
  const kindName = (kind: unknown): string =>
    isOneOf(['whatsapp', 'sms', 'email', 'instagram'], String(kind))
      ? t(`kind.${kind as 'sms'}`)
      : t('flow.kindOfChat');

  const triggerDetail = ({ type, parameters = {} }: FlowTrigger): string => {
    const { keywords, labelId, rrule } = parameters;
    if (type === 'label_added') return names.label(labelId);
    if (type === 'schedule') return recurrence(rrule);
    return Array.isArray(keywords) ? keywords.map((word) => `“${shorten(word)}”`).join(', ') : '';
  };
  return {
    condition,
    comparedText,
    duration,
    stepTitle: ({ type }: Pick<FlowStep, 'type'>): string => t(`flow.step.${type}`),
    /** One line about what a step does. */
    stepSummary: (step: FlowStep): string =>
      Object.hasOwn(SUMMARIES, step.type) ? SUMMARIES[step.type](step.parameters ?? {}, step) : '',
    triggerTitle: ({ type }: FlowTrigger): string => t(`flow.trigger.${type}`),
    triggerSummary(trigger: FlowTrigger): string {
      const { channelId } = trigger.parameters ?? {};
      const parts = [
        triggerDetail(trigger),
        channelId === undefined ? '' : t('flow.onChannel', { channel: names.channel(channelId) }),
      ].filter((part) => part !== '');
      return parts.join(' · ') || t('flow.anyChannel');
    },
    /** When a run takes a way out of a step; empty for a step with one only. */
    outlet(step: FlowStep | undefined, outlet: Outlet): string {
      if (outlet === 'else') return t('flow.else');
      if (step?.type === 'wait_for_reply')
        return outlet === 'next'
          ? t('flow.onReply')
          : t('flow.onTimeout', { duration: duration(step.parameters?.timeout) });
      return step?.type === 'branch' && outlet.startsWith('case:')
        ? condition(casesOf(step)[Number(outlet.slice('case:'.length))]?.when) || '…'
        : '';
    },
  };
}
export type Describer = ReturnType<typeof createDescriber>;
