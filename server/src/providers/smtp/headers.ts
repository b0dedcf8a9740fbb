/** The first value of each header, unfolded, by its name in lower case; repeated ones are joined by a blank. */
export type MailHeaders = ReadonlyMap<string, string>;

export function headersOf(lines: readonly { key: string; line: string }[]): MailHeaders {
  const headers = new Map<string, string>();
  for (const { key, line } of lines) {
    const value = line
      .slice(line.indexOf(':') + 1)
      .replaceAll(/\r?\n/g, '')
      .trim();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before} ${value}`);
  }
  return headers;
}

/** Header-like fields of a part: those of a bounced mail, or of a report about one. */
export function fieldsOf(text: string): MailHeaders {
  const unfolded = text.replaceAll(/\r?\n[ \t]+/g, ' ');
  const lines = unfolded.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf(':');
    return at > 0 ? [{ key: line.slice(0, at).trim().toLowerCase(), line }] : [];
  });
  return headersOf(lines);
}

const LONGEST_ID = 500;
const IDS_MOST = 50;

/** The message ids in a header, in their angle brackets. Some writers leave the brackets away. */
export function idsIn(value: string | undefined): string[] {
  if (!value) return [];
  const bracketed = value.match(/<[^<>\s]{1,500}>/g);
  const ids = bracketed ?? value.split(/[\s,]+/).filter((word) => word.includes('@'));
  return ids
    .map((id) => (id.startsWith('<') ? id : `<${id}>`))
    .filter((id) => id.length <= LONGEST_ID)
    .slice(-IDS_MOST);
}
