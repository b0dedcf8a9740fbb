import { type Channel, type MessageTemplate, searchChannels } from '@parley/sdk';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import type { Translator } from '../../i18n/i18n.tsx';
import { addPatch } from '../../live/patches.ts';

/** The inbox reads templates by a key that begins alike. */
export const TEMPLATES_KEY = ['messageTemplates'];

addPatch(['template.*'], (_, cache) => void cache.invalidateQueries({ queryKey: TEMPLATES_KEY }));

export const useChannels = (): readonly Channel[] =>
  useAll(['channels'], searchChannels, { enabled: useScope('channels:read') }).data ?? [];

export const STATUSES = ['approved', 'pending', 'rejected', 'paused', 'disabled'] as const;
export const CATEGORIES = ['marketing', 'utility', 'authentication'] as const;

export const STATUS_LOOKS = {
  approved: 'good',
  pending: 'plain',
  rejected: 'bad',
  paused: 'warn',
  disabled: 'warn',
} as const satisfies Record<MessageTemplate['status'], string>;

/** The codes by which Meta says why. */
const REASONS = [
  'ABUSIVE_CONTENT',
  'INVALID_FORMAT',
  'TAG_CONTENT_MISMATCH',
  'INCORRECT_CATEGORY',
  'PROMOTIONAL',
  'SCAM',
] as const;

/** Why the vendor has rejected a template: its code in words, and its own sentence if there is one. */
export function describeReason(reason: string, t: Translator['t']): string {
  const [first = '', ...rest] = reason.split(': ');
  const code = REASONS.find((known) => known === first);
  return code ? [t(`templates.reason.${code}`), rest.join(': ')].join(' ').trim() : reason;
}
