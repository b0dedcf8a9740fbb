import type { Issues } from '../../base/issues.ts';
import { type CanRead, lacksScope, type Scope } from '../../http/permissions.ts';
import type { TriggerType } from './steps.ts';

/** The scope with which the API shows the data that a text or condition uses. Variables and saved answers need none. */
const SCOPES: Readonly<Record<string, Scope>> = {
  contact: 'contacts:read',
  attributes: 'contacts:read',
  chat: 'chats:read',
  message: 'messages:read',
};

/** What a trigger learns about: that something of this name has happened. */
const TRIGGERS: Partial<Record<TriggerType, string>> = {
  message_received: 'message',
  chat_opened: 'chat',
  chat_closed: 'chat',
  contact_created: 'contact',
  label_added: 'contact',
};

export const canReadAll = (canRead: CanRead): boolean => Object.values(SCOPES).every(canRead);

/** Adds issues for data that a definition uses and its author may not read: the trace of a run shows it. */
export function readGuard(canRead: CanRead, issues: Issues) {
  const see = (name: string | undefined, at: string): void => {
    const scopes =
      name === undefined ? Object.values(SCOPES) : Object.hasOwn(SCOPES, name) ? [SCOPES[name]] : [];
    const missing = scopes.find((scope) => scope !== undefined && !canRead(scope));
    if (missing) issues.add(at, 'custom', lacksScope(missing));
  };
  return {
    see,
    seeTrigger(type: string): void {
      const name = TRIGGERS[type as TriggerType];
      if (name !== undefined) see(name, 'trigger.type');
    },
  };
}
