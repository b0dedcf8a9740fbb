import { screens } from './en-screens.ts';
import { start } from './en-start.ts';

/** Every text of the console, in English. It is the type of all languages: a missing key does not compile. */
export const en = { ...start, ...screens } as const;
