import type { Catalogue } from './catalogue.ts';
import { inbox } from './de/inbox.ts';
import { people } from './de/people.ts';
import { shell } from './de/shell.ts';

export const de: Catalogue = { ...shell, ...people, ...inbox };
