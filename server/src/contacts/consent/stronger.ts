import { channelKinds } from '../../providers/kinds.ts';
import type { Subscription, Subscriptions } from './schema.ts';

type Decision = Omit<Subscription, 'channelKind'>;

/** Whether the person has said it, to us or to the vendor: after such an opt-out, a carrier delivers nothing. */
export const isByPerson = ({ source }: Pick<Subscription, 'source'>): boolean =>
  source === 'contact' || source === 'vendor';

const isOptOut = ({ status }: Decision): boolean => status === 'unsubscribed';

/** Whether the person says STOP after others have unsubscribed the contact, which says more than was known. */
export const isFirstStop = (known: Decision, decided: Decision): boolean =>
  isOptOut(known) && isOptOut(decided) && isByPerson(decided) && !isByPerson(known);

/** Which of two decisions about a kind of channel counts: the later one, but of two opt-outs that of the person. */
export function strongerOf(known: Decision, decided: Decision): Decision {
  if (isFirstStop(known, decided)) return decided;
  if (isFirstStop(decided, known)) return known;
  return decided.at < known.at ? known : decided;
}

/**
 * What two contacts have decided that become one. An opt-out stays: it may be about a number that the other contact, which has
 * decided later, never had.
 */
export function combineSubscriptions(a: Subscriptions, b: Subscriptions): Subscriptions {
  return Object.fromEntries(
    channelKinds.flatMap((kind) => {
      const both = [a[kind], b[kind]].filter((one) => one !== undefined);
      const optOuts = both.filter(isOptOut);
      const [first, ...others] = optOuts.length > 0 ? optOuts : both;
      return first ? [[kind, others.reduce(strongerOf, first)]] : [];
    }),
  );
}
