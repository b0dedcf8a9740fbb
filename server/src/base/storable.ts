/** Replaces what PostgreSQL cannot store in text from outside: NUL and lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
