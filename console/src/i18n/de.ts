import type { Catalogue } from './catalogue.ts';
import { audit } from './de/audit.ts';
import { channels } from './de/channels.ts';
import { contacts } from './de/contacts.ts';
import { inbox } from './de/inbox.ts';
import { inboxLists } from './de/inbox-lists.ts';
import { notifications } from './de/notifications.ts';
import { people } from './de/people.ts';
import { phone } from './de/phone.ts';
import { reports } from './de/reports.ts';
import { settings } from './de/settings.ts';
import { shell } from './de/shell.ts';
import { system } from './de/system.ts';
import { timeline } from './de/timeline.ts';

export { serverTexts } from './de/server-texts.ts';

export const de: Catalogue = {
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
};
