import type { Catalogue } from './catalogue.ts';
import { audit } from './de/audit.ts';
import { channels } from './de/channels.ts';
import { contacts } from './de/contacts.ts';
import { inbox } from './de/inbox.ts';
import { people } from './de/people.ts';
import { phone } from './de/phone.ts';
import { settings } from './de/settings.ts';
import { shell } from './de/shell.ts';

export const de: Catalogue = {
  ...shell,
  ...people,
  ...inbox,
  ...settings,
  ...audit,
  ...channels,
  ...contacts,
  ...phone,
};
