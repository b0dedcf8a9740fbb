import type { EventType } from '../base/events.ts';
import type { CanRead, Scope } from '../http/permissions.ts';
import { typesOf } from './match.ts';

type Resource = EventType extends `${infer Noun}.${string}` ? Noun : never;

/** The scope with which the API shows the data of an event; of jobs, every caller. */
const scopeOf: Record<Exclude<Resource, 'job'>, Scope> & { job?: never } = {
  message: 'messages:read',
  channel: 'channels:read',
  chat: 'chats:read',
  note: 'chats:read',
  contact: 'contacts:read',
  template: 'templates:read',
  file: 'files:read',
  automation: 'automations:read',
  campaign: 'campaigns:read',
  webhook: 'webhooks:read',
};

/** The first scope that the caller lacks to see the events of a pattern. `events:read` shows every event. */
export function findMissingScope(pattern: string | null, canRead: CanRead): Scope | undefined {
  if (canRead('events:read')) return undefined;
  return typesOf(pattern)
    .map((type) => scopeOf[type.split('.', 1)[0] as Resource])
    .find((scope) => scope !== undefined && !canRead(scope));
}
