import { audit } from './en/audit.ts';
import { automationFields } from './en/automation-fields.ts';
import { automations } from './en/automations.ts';
import { campaigns } from './en/campaigns.ts';
import { channels } from './en/channels.ts';
import { contacts } from './en/contacts.ts';
import { explain } from './en/explain.ts';
import { flow } from './en/flow.ts';
import { hours } from './en/hours.ts';
import { imports } from './en/imports.ts';
import { inbox } from './en/inbox.ts';
import { inboxLists } from './en/inbox-lists.ts';
import { phone } from './en/phone.ts';
import { reports } from './en/reports.ts';
import { runs } from './en/runs.ts';
import { settings } from './en/settings.ts';
import { system } from './en/system.ts';
import { templates } from './en/templates.ts';
import { timeline } from './en/timeline.ts';
import { webhooks } from './en/webhooks.ts';

/** The texts of all screens, which are loaded with the first of them. */
export const screens = {
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
  ...phone,
  ...hours,
  ...explain,
  ...runs,
  ...flow,
  ...automations,
  ...automationFields,
  ...reports,
} as const;
