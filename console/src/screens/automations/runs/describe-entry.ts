import type { AutomationDryRun, AutomationRunWithTrace } from '@parley/sdk';
import { listIn, textIn } from '../../../api/content.ts';
import type { FlowStep } from '../../../flow/definition.ts';
import type { Describer } from '../../../flow/describe.ts';
import type { Translator } from '../../../i18n/i18n.tsx';

type RunEntry = AutomationRunWithTrace['trace'][number];

/** An executed step, of a run or of a try. */
export interface Entry extends RunEntry {
  /** Of a try: whether the response of its call is assumed; null for a step that calls nobody. */
  isAssumed?: boolean | null;
}

/** What the trace of a run has as the detail of a step. */
function detailOfTry({ type, input, output, isAssumed }: AutomationDryRun['trace'][number]): Entry['detail'] {
  if (isAssumed !== null) return { method: input.method, url: input.url, status: output.status };
  const isSent = (type === 'send_message' || type === 'send_template') && output.content !== undefined;
  return isSent ? { text: output.text, interactive: output.content, email: output.content } : output;
}

/** The steps of a try, as a run shows them. */
export const entriesOfTry = ({ trace }: Pick<AutomationDryRun, 'trace'>): Entry[] =>
  trace.map((entry) => {
    const { number, step, type, status, error, at, endedAt, isAssumed } = entry;
    return {
      number,
      step,
      type,
      status,
      error,
      startedAt: at,
      endedAt,
      isAssumed,
      detail: detailOfTry(entry),
    };
  });

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
  const { type, detail, status, isAssumed = null } = entry;
  const untilText = textIn(detail, 'until');
  const until = untilText === undefined ? '' : formatDate(new Date(untilText), 'full');
  const summary = step ? describer.stepSummary(step) : '';
  switch (type) {
    case 'send_message':
    case 'send_template': {
      const text = textIn(detail, 'text') ?? textIn(detail, 'email', 'subject');
      const choices = choicesOf(detail.interactive);
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
      const answered = detail.status;
      const outcome =
        isAssumed === null
          ? answered === undefined
            ? []
            : [t('runs.answered', { status: String(answered) })]
          : [
              isAssumed
                ? `${t('try.callNotMade')} ${t('try.assumed', { status: String(answered) })}`
                : t('try.callNotMade'),
            ];
      return {
        lines: [`${textIn(detail, 'method') ?? ''} ${textIn(detail, 'url') ?? ''}`.trim(), ...outcome],
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
