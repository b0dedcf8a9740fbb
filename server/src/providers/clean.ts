/** Text from outside as PostgreSQL can store it: without NUL and lone surrogates. */
export const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
