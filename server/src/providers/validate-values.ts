import { countCharacters, isLongerThan } from '../base/characters.ts';
import type { Issues } from '../base/issues.ts';

const MAX_URL = 2000;

export function validateText(
  path: string,
  text: unknown,
  max: number,
  issues: Issues,
  isRequired = true,
): void {
  if (text === undefined && !isRequired) return;
  if (typeof text !== 'string' || text === '') issues.add(path, 'invalid_type', 'Must be a non-empty text');
  else if (isLongerThan(text, max))
    issues.add(path, 'too_big', `Must have at most ${max} characters, received ${countCharacters(text)}`);
}

export function validateCount(path: string, given: unknown, max: number, issues: Issues): void {
  const count = Array.isArray(given) ? given.length : 0;
  if (count < 1) issues.add(path, 'too_small', `Must be a list of 1 to ${max}`);
  else if (count > max) issues.add(path, 'too_big', `Must be a list of 1 to ${max}, received ${count}`);
}

export function validateUnique(path: string, ids: readonly unknown[], issues: Issues): void {
  if (new Set(ids).size < ids.length) issues.add(path, 'custom', 'Must have unique ids');
}

export function validateUrl(path: string, url: unknown, issues: Issues, isRequired = true): void {
  if (url === undefined && !isRequired) return;
  validateText(path, url, MAX_URL, issues);
  if (issues.has(path)) return;
  const isHttp = URL.canParse(url as string) && /^https?:$/.test(new URL(url as string).protocol);
  if (!isHttp) issues.add(path, 'invalid_string', 'Must be an http or https URL');
}
