import { notifications } from './en/notifications.ts';
import { people } from './en/people.ts';
import { shell } from './en/shell.ts';
import { titles } from './en/titles.ts';

/** What is shown before a screen is loaded: login, navigation, titles. */
export const start = { ...shell, ...people, ...notifications, ...titles } as const;
