import { audit } from './en/audit.ts';
import { channels } from './en/channels.ts';
import { contacts } from './en/contacts.ts';
import { inbox } from './en/inbox.ts';
import { inboxLists } from './en/inbox-lists.ts';
import { notifications } from './en/notifications.ts';
import { people } from './en/people.ts';
import { phone } from './en/phone.ts';
import { reports } from './en/reports.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { system } from './en/system.ts';
import { timeline } from './en/timeline.ts';

/** Every text of the console, in English. It is the type of all languages: a missing key does not compile. */
export const en = {
  ...shell,
  ...people,
  ...inbox,
  ...settings,
  ...audit,
  ...channels,
  ...contacts,
  ...timeline,
  ...system,
  ...inboxLists,
  ...notifications,
  ...phone,
  ...reports,
} as const;
