import type { Catalogue } from './catalogue.ts';
import { audit } from './de/audit.ts';
import { automationFields } from './de/automation-fields.ts';
import { automations } from './de/automations.ts';
import { campaigns } from './de/campaigns.ts';
import { channels } from './de/channels.ts';
import { contacts } from './de/contacts.ts';
import { errors } from './de/errors.ts';
import { explain } from './de/explain.ts';
import { flow } from './de/flow.ts';
import { hours } from './de/hours.ts';
import { imports } from './de/imports.ts';
import { inbox } from './de/inbox.ts';
import { inboxLists } from './de/inbox-lists.ts';
import { notifications } from './de/notifications.ts';
import { people } from './de/people.ts';
import { phone } from './de/phone.ts';
import { reports } from './de/reports.ts';
import { runs } from './de/runs.ts';
import { settings } from './de/settings.ts';
import { shell } from './de/shell.ts';
import { system } from './de/system.ts';
import { templates } from './de/templates.ts';
import { timeline } from './de/timeline.ts';
import { titles } from './de/titles.ts';
import { validation } from './de/validation.ts';
import { validationContent } from './de/validation-content.ts';
import { webhooks } from './de/webhooks.ts';

export { serverTexts } from './de/server-texts.ts';

export const serverMessages = { ...validation, ...validationContent, ...errors };

export const de: Catalogue = {
  ...shell,
  ...titles,
  ...people,
  ...inbox,
  ...settings,
  ...audit,
  ...channels,
  ...contacts,
  ...campaigns,
  ...timeline,
  ...imports,
  ...templates,
  ...webhooks,
  ...system,
  ...inboxLists,
  ...notifications,
  ...phone,
  ...hours,
  ...explain,
  ...runs,
  ...flow,
  ...automations,
  ...automationFields,
  ...reports,
};
