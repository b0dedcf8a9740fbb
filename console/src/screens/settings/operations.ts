import { audit } from '../../i18n/en/audit.ts';
import type { Translator } from '../../i18n/i18n.tsx';

type Phrase = keyof typeof audit;
const PREFIX = 'did.';
const isPhrase = (key: string): key is Phrase => Object.hasOwn(audit, key);

/** Every operation that the audit log can contain. */
export const operations: readonly string[] = Object.keys(audit).map((key) => key.slice(PREFIX.length));

/** What somebody did, as the rest of a sentence: "created a label". */
export function describeOperation(operation: string, t: Translator['t']): string {
  const key = `${PREFIX}${operation}`;
  return isPhrase(key) ? t(key) : operation;
}
