import type { AutomationDryRun, AutomationRunWithTrace } from '@parley/sdk';
import { listIn, textIn } from '../../../api/content.ts';
import type { FlowStep } from '../../../flow/definition.ts';
import type { Describer } from '../../../flow/describe.ts';
import type { Translator } from '../../../i18n/i18n.tsx';

/** An executed step, of a run or of a try. */
export type Entry = AutomationRunWithTrace['trace'][number] & Partial<AutomationDryRun['trace'][number]>;

interface DescribedEntry {
  /** What was sent, or would be. */
  sent?: { text: string; choices: readonly string[] };
  /** What the contact answered. */
  received?: string;
  lines: readonly string[];
}

/** The titles of buttons and rows of a list. */
const choicesOf = (content: unknown): string[] =>
  [
    ...listIn(content, 'buttons'),
    ...listIn(content, 'list', 'sections').flatMap((section) => listIn(section, 'rows')),
  ].flatMap((choice) => textIn(choice, 'title') ?? []);

/** What a step did, in words. */
export function describeEntry(
  entry: Entry,
  step: FlowStep | undefined,
  describer: Describer,
  { t, formatDate }: Translator,
): DescribedEntry {
  const { type, detail, status, message, call } = entry;
  const untilText = textIn(detail, 'until');
  const until = untilText === undefined ? '' : formatDate(new Date(untilText), 'full');
  const summary = step ? describer.stepSummary(step) : '';
  switch (type) {
    case 'send_message':
    case 'send_template': {
      const text = message?.text ?? textIn(detail, 'text') ?? textIn(detail, 'email', 'subject');
      const choices = choicesOf(message?.content ?? detail.interactive);
      return text === undefined && choices.length === 0
        ? { lines: summary === '' ? [] : [summary] }
        : { sent: { text: text ?? '', choices }, lines: [] };
    }
    case 'wait':
      return { lines: [t('runs.waitsUntil', { at: until })] };
    case 'wait_for_reply': {
      if (status === 'waiting') return { lines: [t('runs.waitsFor', { at: until })] };
      if (detail.timedOut === true) return { lines: [t('runs.noReply')] };
      const reply = textIn(detail, 'reply', 'text');
      return { ...(reply !== undefined && { received: reply }), lines: [] };
    }
    case 'branch': {
      const when = textIn(detail, 'when');
      const values = Object.entries((detail.values ?? {}) as object).map(([name, value]) =>
        describer.comparedText(name, value),
      );
      return {
        lines: [
          when === undefined
            ? t('runs.chosenElse')
            : t('runs.chosenCase', { when: describer.condition(when) }),
          ...(values.length > 0 ? [t('runs.values', { values: values.join(' · ') })] : []),
        ],
      };
    }
    case 'http_request': {
      const answered = detail.status ?? call?.response.status;
      return {
        lines: [
          `${textIn(detail, 'method') ?? ''} ${textIn(detail, 'url') ?? ''}`.trim(),
          ...(call
            ? [
                call.isAssumed
                  ? `${t('try.callNotMade')} ${t('try.assumed', { status: String(answered) })}`
                  : t('try.callNotMade'),
              ]
            : answered === undefined
              ? []
              : [t('runs.answered', { status: String(answered) })]),
        ],
      };
    }
    case 'set_attribute':
      return {
        lines: [describer.stepSummary({ id: entry.step, type, parameters: detail })],
      };
    default:
      return { lines: summary === '' ? [] : [summary] };
  }
}
