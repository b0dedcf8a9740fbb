/** Unfolded values of headers by their name in lower case; the values of a repeated header are joined by a space. */
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

/** Fields in the format of headers: of a bounced mail, or of a delivery report. */
export function fieldsOf(text: string): MailHeaders {
  const unfolded = text.replaceAll(/\r?\n[ \t]+/g, ' ');
  const lines = unfolded.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    return colon > 0 ? [{ key: line.slice(0, colon).trim().toLowerCase(), line }] : [];
  });
  return headersOf(lines);
}

const MAX_ID_LENGTH = 500;
const MAX_IDS = 50;

/** The message ids in a header, with angle brackets. Some mail clients omit the brackets. */
export function idsIn(value: string | undefined): string[] {
  if (!value) return [];
  const bracketed = value.match(/<[^<>\s]{1,500}>/g);
  const ids = bracketed ?? value.split(/[\s,]+/).filter((word) => word.includes('@'));
  return ids
    .map((id) => (id.startsWith('<') ? id : `<${id}>`))
    .filter((id) => id.length <= MAX_ID_LENGTH)
    .slice(-MAX_IDS);
}
