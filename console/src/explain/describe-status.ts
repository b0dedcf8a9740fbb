import type { PlainKey } from '../i18n/catalogue.ts';
import type { Translator } from '../i18n/i18n.tsx';

type Look = 'plain' | 'good' | 'warn' | 'bad';

/** Every status of a message, a run and a delivery. */
const LOOKS = {
  queued: 'plain',
  sent: 'good',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  scheduled: 'plain',
  running: 'warn',
  waiting: 'warn',
  completed: 'good',
  cancelled: 'plain',
  pending: 'warn',
} as const satisfies Record<string, Look>;
const isStatus = (status: string): status is keyof typeof LOOKS => Object.hasOwn(LOOKS, status);

export interface DescribedStatus {
  text: string;
  look: Look;
}

/** A status as a word with a colour. */
export const describeStatus = (status: string, t: Translator['t']): DescribedStatus =>
  isStatus(status)
    ? { text: t(`trace.status.${status}` satisfies PlainKey), look: LOOKS[status] }
    : { text: status, look: 'plain' };
