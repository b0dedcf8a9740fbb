import type { ParsedMail } from 'mailparser';

const METHODS = ['spf', 'dkim', 'dmarc'] as const;
const MAX_LENGTH = 4_000;

/** What the receiving server found out about the sender, such as `pass`; null if it did not check. */
export type Authentication = Record<(typeof METHODS)[number], string | null>;

/**
 * The results in the topmost Authentication-Results header, which the receiving server added. Those below it came with the
 * mail, so anyone could have written them.
 */
export function authenticationOf(lines: ParsedMail['headerLines']): Authentication | undefined {
  const line = lines.find(({ key }) => key === 'authentication-results')?.line;
  if (line === undefined) return undefined;
  // Comments are in parentheses; what they contain is not a result.
  const results = line
    .slice(line.indexOf(':') + 1, MAX_LENGTH)
    .replaceAll(/\([^()]{0,500}\)/g, ' ')
    .split(';')
    .slice(1);
  const resultOf = (method: string): string | null => {
    const found = results.flatMap(
      (result) =>
        new RegExp(`^\\s{0,20}${method}(?:/\\d)?\\s{0,5}=\\s{0,5}([a-z]{1,20})\\b`, 'i').exec(result)?.[1] ??
        [],
    );
    // A mail can have several signatures: one that is valid is enough.
    return (found.find((result) => result.toLowerCase() === 'pass') ?? found[0])?.toLowerCase() ?? null;
  };
  const [spf, dkim, dmarc] = METHODS.map(resultOf);
  return { spf: spf ?? null, dkim: dkim ?? null, dmarc: dmarc ?? null };
}
