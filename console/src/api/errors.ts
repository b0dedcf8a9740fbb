import { ParleyError } from '@parley/sdk';
import type { Translator } from '../i18n/i18n.tsx';
import { translateNow } from '../i18n/translate-now.ts';

export const statusOf = (error: unknown): number | undefined =>
  error instanceof ParleyError ? error.status : undefined;

export const isLoggedOut = (error: unknown): boolean => statusOf(error) === 401;

/** What went wrong and what to do, in the language of the person where it does not depend on the request. */
export function describeError(error: unknown, t: Translator['t']): string {
  if (!(error instanceof ParleyError)) return error instanceof Error ? error.message : String(error);
  const { status, messageKey, retryAfter, issues, message } = error;
  if (messageKey === 'unexpected_answer') return t('error.proxy');
  if (status === 0) return t('error.offline');
  if (messageKey === 'too_many_attempts')
    return t('login.tooMany', { count: Math.ceil((retryAfter ?? 60) / 60) });
  if (status === 429) return t('error.tooMany', { count: Math.ceil(retryAfter ?? 60) });
  if (status >= 500) return t('error.server');
  if (issues.length > 0)
    return issues.map((issue) => `${issue.parameter}: ${translateNow(issue.message)}`).join('\n');
  if (messageKey === 'forbidden') return t('error.forbidden');
  return translateNow(message);
}

function findIssue(error: unknown, isWanted: (parameter: string) => boolean): string | undefined {
  if (!(error instanceof ParleyError)) return undefined;
  const issue = error.issues.find(({ parameter }) => isWanted(parameter));
  return issue && translateNow(issue.message);
}

/** The message about one field of a form: `issueOf(error, 'password')`. */
export const issueOf = (error: unknown, name: string): string | undefined =>
  findIssue(error, (parameter) => parameter === name || parameter.endsWith(`.${name}`));

/** The first message about a field or a part of it: `issueWithin(error, 'message.media')`. */
export const issueWithin = (error: unknown, path: string): string | undefined =>
  findIssue(error, (parameter) => parameter === path || parameter.startsWith(`${path}.`));

/** Whether every issue of an error is about one of these fields, and so is shown beside it. */
export const isShownByFields = (error: unknown, names: readonly string[]): boolean =>
  error instanceof ParleyError &&
  error.issues.length > 0 &&
  error.issues.every(({ parameter }) => names.includes(parameter.split('.').at(-1) as string));
