import {
  ANY_LABEL,
  FROM_LINE,
  HAS_DATE,
  HAS_TIME_OR_ADDRESS,
  LIST_FOOTER,
  ORIGINAL_MESSAGE,
  OTHER_LINE,
  SENDER_END,
  SUBJECT_LINE,
  WROTE_END,
  WROTE_START,
} from './reply-phrases.ts';
import { isBlank, isQuote, type TextLines } from './text-lines.ts';

/** The lines that introduce an earlier mail. Without quotation marks everything after them belongs to it. */
export interface History {
  end: number;
  hasQuotes: boolean;
}

/** Mail programs break the line that introduces a quotation. */
const MAX_INTRODUCTION_LINES = 4;
const MAX_HEADER_LINES = 9;
/** The verb is near the end: `… wrote:`, `… schrieb Ada Lovelace <ada@example.com>:`. */
const MAX_END = 250;

/** `On Monday, Ada wrote:`, also over several lines. */
function introductionAt(lines: TextLines, start: number): History | undefined {
  const first = lines.at(start);
  const isStart = WROTE_START.test(first);
  let joined = '';
  for (let end = start; end < start + MAX_INTRODUCTION_LINES && end < lines.count; end++) {
    const line = lines.at(end).trim();
    if (line === '' || isQuote(line)) return undefined;
    // A line that could begin it is the beginning: what is before it was written by the author.
    if (end > start && WROTE_START.test(line) && HAS_DATE.test(line)) return undefined;
    joined = `${joined} ${line}`.trim();
    if (!/[:：>]$/.test(line)) continue;
    const hasQuotes = isQuote(lines.at(lines.nextWritten(end + 1)));
    const hasWords = WROTE_END.test(joined.slice(-MAX_END)) || SENDER_END.test(joined);
    const says = HAS_TIME_OR_ADDRESS.test(joined);
    if (isStart && hasWords && says) return { end, hasQuotes };
    // In any language, if a quotation follows: `… Ada <ada@example.com>:`.
    if (hasQuotes && (isStart || end === start) && (hasWords || says || HAS_DATE.test(joined)))
      return { end, hasQuotes };
  }
  return undefined;
}

/** `From: …`, `Sent: …`, `Subject: …`, as Outlook writes it. In a booking `From: Berlin`, `To: Hamburg` is the author's. */
function headerAt(lines: TextLines, start: number): History | undefined {
  const isSeparated = start > 0 && LIST_FOOTER.test(lines.at(start - 1));
  const isFrom = FROM_LINE.test(lines.at(start));
  if (!isFrom && !(isSeparated && ANY_LABEL.test(lines.at(start)))) return undefined;
  let others = 0;
  let labels = 0;
  let isMail = lines.at(start).includes('@');
  for (let number = start + 1; number < start + MAX_HEADER_LINES; number++) {
    const line = lines.at(number);
    if (OTHER_LINE.test(line)) others++;
    if (SUBJECT_LINE.test(line)) isMail = true;
    if (ANY_LABEL.test(line)) labels++;
    else if (isSeparated && isBlank(line)) break;
  }
  const isHeader = (isFrom && others >= 2 && isMail) || (isSeparated && labels >= 2);
  return isHeader ? { end: start, hasQuotes: false } : undefined;
}

/** What introduces an earlier mail in this line. */
export function historyAt(lines: TextLines, number: number): History | undefined {
  const line = lines.at(number);
  if (isBlank(line) || isQuote(line)) return undefined;
  if (ORIGINAL_MESSAGE.test(line)) return { end: number, hasQuotes: false };
  return headerAt(lines, number) ?? introductionAt(lines, number);
}
