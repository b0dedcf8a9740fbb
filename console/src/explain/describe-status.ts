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
type Status = keyof typeof LOOKS;
const isStatus = (status: string): status is Status => Object.hasOwn(LOOKS, status);

/** `t` of the translator, as far as it is needed here. */
export type StatusText = (key: `trace.status.${Status}`) => string;

export interface DescribedStatus {
  text: string;
  look: Look;
}

/** A status as a word with a colour. */
export const describeStatus = (status: string, t: StatusText): DescribedStatus =>
  isStatus(status)
    ? { text: t(`trace.status.${status}`), look: LOOKS[status] }
    : { text: status, look: 'plain' };
