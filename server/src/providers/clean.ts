/** Text from outside as it can be stored and passed on: without NUL and half characters. */
export const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
