import type { ApiWebhook, CreateApiWebhookBody } from '@parley/sdk';
import { eventTypes } from '../../explain/event-types.ts';

/** Tests are sent to a webhook by hand, whatever it wants. */
const EVENT_TYPES = eventTypes.filter((type) => type !== 'webhook.test');

/** The types of events by what they are about: `message` → `message.received`, … */
export const eventGroups: readonly { name: string; types: readonly string[] }[] = [
  ...new Set(EVENT_TYPES.map((type) => type.slice(0, type.indexOf('.')))),
].map((name) => ({ name, types: EVENT_TYPES.filter((type) => type.startsWith(`${name}.`)) }));

type Events = ApiWebhook['events'];

/** What a webhook has asked for, as the form shows it. */
export interface Subscription {
  isAll: boolean;
  /** Names, and prefixes such as `message.*`. */
  types: string[];
  /** Ids of channels, and `kind:` with a kind. */
  scopes: string[];
}

const KIND = 'kind:';

const scopesOf = ({ scopes }: Events[number]): string[] =>
  scopes.flatMap(({ type, ids }) => (type === 'channel' ? ids : ids.map((id) => KIND + id)));

/** Reads the events of a webhook; undefined if its channels differ from event to event. */
export function readSubscription(events: Events): Subscription | undefined {
  const [first, ...others] = events.map((event) => scopesOf(event).sort().join());
  if (others.some((scopes) => scopes !== first)) return undefined;
  return {
    isAll: events.some(({ type }) => type === undefined),
    types: events.flatMap(({ type }) => type ?? []),
    scopes: events[0] ? scopesOf(events[0]) : [],
  };
}

export function writeSubscription({ isAll, types, scopes }: Subscription): CreateApiWebhookBody['events'] {
  const channels = scopes.filter((one) => !one.startsWith(KIND));
  const kinds = scopes.filter((one) => one.startsWith(KIND)).map((one) => one.slice(KIND.length));
  const written = [
    ...(channels.length > 0 ? [{ type: 'channel' as const, ids: channels }] : []),
    ...(kinds.length > 0 ? [{ type: 'channel_kind' as const, ids: kinds }] : []),
  ];
  return isAll ? [{ scopes: written }] : types.map((type) => ({ type, scopes: written }));
}

export const kindScope = (kind: string): string => KIND + kind;
