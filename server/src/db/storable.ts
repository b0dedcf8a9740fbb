/** Text from outside may be anything; PostgreSQL's has no NUL and no half characters. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
