import type { ComponentType } from 'react';
import type { Scope } from '../api/session.tsx';
import type { titles } from '../i18n/en/titles.ts';
import { importPages } from '../screens/imports/pages.ts';
import { settingsPages } from '../screens/settings/pages.ts';
import type { IconName } from '../ui/icon.tsx';
import type { ScreenPage } from './screen-page.ts';

export interface Screen {
  /** Below `/console`; `{-$chatId}` is a part that may be left out, `$` at the end is everything that follows. */
  path: string;
  title: keyof typeof titles;
  icon: IconName;
  /** `g` and then this letter leads there. */
  letter?: string;
  /** Those without it do not see the screen. The API decides what they may do. */
  scope?: Scope;
  /** For those who run the server. */
  isForOperators?: boolean;
  /** Where the navigation shows it: above for the daily work, below for the rest. Left out: the palette and links lead there. */
  place?: 'above' | 'below';
  /** The screen shows one of them, and the palette finds each. */
  pages?: readonly ScreenPage[];
  /** A chunk of its own. */
  load: () => Promise<ComponentType>;
}

/** Every screen behind the login, in the order of the navigation. The first one that a person may see is where they start. */
export const screens: readonly Screen[] = [
  {
    path: '/inbox/{-$chatId}',
    title: 'inbox.title',
    icon: 'inbox',
    letter: 'i',
    scope: 'chats:read',
    place: 'above',
    load: async () => (await import('../screens/inbox/inbox.tsx')).Inbox,
  },
  {
    path: '/profile',
    title: 'profile.title',
    icon: 'profile',
    letter: 'u',
    load: async () => (await import('../screens/profile/profile.tsx')).Profile,
  },
  {
    path: '/contacts/{-$contactId}',
    title: 'contacts.title',
    icon: 'contacts',
    letter: 'c',
    scope: 'contacts:read',
    place: 'above',
    load: async () => (await import('../screens/contacts/contacts.tsx')).Contacts,
  },
  {
    path: '/campaigns/{-$campaignId}',
    title: 'campaigns.title',
    icon: 'campaign',
    letter: 'm',
    scope: 'campaigns:read',
    place: 'above',
    load: async () => (await import('../screens/campaigns/campaigns.tsx')).Campaigns,
  },
  {
    path: '/imports/{-$page}',
    title: 'imports.title',
    icon: 'upload',
    scope: 'contacts:read',
    pages: importPages,
    load: async () => (await import('../screens/imports/imports.tsx')).Imports,
  },
  {
    path: '/automations/{-$automationId}/{-$tab}',
    title: 'automations.title',
    icon: 'automation',
    letter: 'a',
    scope: 'automations:read',
    place: 'above',
    load: async () => (await import('../screens/automations/automations.tsx')).Automations,
  },
  {
    path: '/phone',
    title: 'phone.title',
    icon: 'phone',
    letter: 'p',
    scope: 'channels:write',
    load: async () => (await import('../screens/phone/phone.tsx')).PhonePage,
  },
  {
    path: '/templates/{-$templateId}',
    title: 'templates.title',
    icon: 'template',
    letter: 't',
    scope: 'templates:read',
    place: 'above',
    load: async () => (await import('../screens/templates/templates.tsx')).Templates,
  },
  {
    path: '/events/{-$eventId}',
    title: 'events.title',
    icon: 'event',
    letter: 'e',
    scope: 'events:read',
    place: 'below',
    load: async () => (await import('../screens/events/events.tsx')).Events,
  },
  {
    path: '/trace/{-$traceId}',
    title: 'trace.title',
    icon: 'trace',
    scope: 'automations:read',
    load: async () => (await import('../screens/trace/trace.tsx')).Trace,
  },
  {
    path: '/reports',
    title: 'reports.title',
    icon: 'chart',
    letter: 'r',
    scope: 'reports:read',
    place: 'above',
    load: async () => (await import('../screens/reports/reports.tsx')).Reports,
  },
  {
    path: '/channels/{-$channelId}',
    title: 'channels.title',
    icon: 'channel',
    letter: 'n',
    scope: 'channels:read',
    place: 'below',
    load: async () => (await import('../screens/channels/channels.tsx')).Channels,
  },
  {
    path: '/webhooks/{-$webhookId}',
    title: 'webhooks.title',
    icon: 'webhook',
    letter: 'w',
    scope: 'webhooks:read',
    place: 'below',
    load: async () => (await import('../screens/webhooks/webhooks.tsx')).Webhooks,
  },
  {
    path: '/settings/{-$page}',
    title: 'settings.title',
    icon: 'settings',
    letter: 's',
    place: 'below',
    pages: settingsPages,
    load: async () => (await import('../screens/settings/settings.tsx')).Settings,
  },
];

/** The address of a screen, without the parts that may be left out. */
export const addressOf = ({ path }: Screen): string => path.replace(/\/(\{-\$\w+\}|\$).*$/, '') || '/';
