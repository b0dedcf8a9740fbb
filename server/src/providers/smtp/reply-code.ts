import { recipientErrors } from '../capabilities.ts';
import type { RelayError } from './relay.ts';

/** A refusal that says nothing more precise (RFC 3463). */
const UNSPECIFIC = '5.0.0';

/** RFC 5321: the address does not exist, or the server does not like the sender or the mail. */
const ADDRESS_CODES = ['550', '551', '553'];

/** A server that says this refuses the sender or the mail, whatever the recipient. */
const POLICY =
  /spam|unsolicited|virus|malware|policy|block|blacklist|\brbl\b|dnsbl|\blisted\b|banned|reputation|relay|denied|not (?:permitted|allowed|authori[sz]ed)|authenticat|\b(?:spf|dkim|dmarc)\b|rate limit|too (?:many|much)/i;

const speaksOfRecipient = (code: string): boolean => recipientErrors.email.invalid.includes(code);

/** The code of a reply without an enhanced one. It is not about the address if the text says so. */
export const plainCodeOf = (code: string, text: string): string =>
  ADDRESS_CODES.includes(code) && POLICY.test(text) ? UNSPECIFIC : code;

/**
 * The code of a relay's refusal: the enhanced one, or else the other. What is refused before a recipient was named, or after
 * the mail was written without an enhanced code, says nothing about the recipient.
 */
export function replyCodeOf({ response = '', command }: RelayError, responseCode: number): string {
  const plain = String(responseCode);
  const enhanced = /^\d{3}[ -]([45]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/.exec(response)?.[1];
  if (enhanced !== undefined && enhanced[0] === plain[0])
    return speaksOfRecipient(enhanced) && command !== 'RCPT TO' && command !== 'DATA' ? UNSPECIFIC : enhanced;
  if (!ADDRESS_CODES.includes(plain)) return plain;
  return command === 'RCPT TO' ? plainCodeOf(plain, response) : UNSPECIFIC;
}
