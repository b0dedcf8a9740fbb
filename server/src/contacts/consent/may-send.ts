import type { ChannelKind } from '../../providers/kinds.ts';
import type { Purpose, Subscription } from './schema.ts';
import { isByPerson } from './stronger.ts';

/** What decides whether a contact may be sent something. */
export interface ConsentFacts {
  /** The entry of the kind of channel; null if nothing was decided. */
  consent: Pick<Subscription, 'status' | 'source'> | null;
  /** Why nothing can be delivered to the handle over this kind of channel; null if nothing is known. */
  undeliverable: string | null;
}

/** SQL for `ConsentFacts`, with SQL for the subscriptions of the contact and the alias of the handle. */
export const consentFacts = (subscriptions: string, kind: string, handle: string): string =>
  `${subscriptions} -> ${kind} as consent, ${handle}.undeliverable -> ${kind} ->> 'reason' as undeliverable`;

/** After STOP a carrier delivers nothing, whatever its purpose, and tells the sender off. */
const isStopped = (kind: ChannelKind, consent: Pick<Subscription, 'source'>): boolean =>
  kind === 'sms' && isByPerson(consent);

/** Why a message must not be sent; undefined if it may be. */
export function findRefusal(
  kind: ChannelKind,
  purpose: Purpose,
  { consent, undeliverable }: ConsentFacts,
): { code: string; message: string } | undefined {
  if (undeliverable !== null)
    return {
      code: 'undeliverable',
      message: `nothing can be delivered to this handle (${undeliverable}); clear that if it is no longer so`,
    };
  if (consent?.status !== 'unsubscribed') return undefined;
  if (isStopped(kind, consent))
    return { code: 'opted_out', message: 'the contact has opted out of messages to this number' };
  if (purpose === 'marketing')
    return { code: 'unsubscribed', message: `the contact is not subscribed to marketing over ${kind}` };
  return undefined;
}
