import type { ParsedMail } from 'mailparser';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { InboundConsent } from '../inbound-event.ts';
import { isAddress } from './config.ts';
import { addressesIn, originalHeadersIn } from './delivery-report.ts';
import { fieldsOf, type MailHeaders } from './headers.ts';
import { ownAddresses } from './own-ids.ts';

const MAX_BYTES = 64 * 1024;
/** Of the types of RFC 5965 and RFC 6430, those that say that the recipient wants no more mail. */
const UNWANTED = /^(?:abuse|fraud|opt-out|opt-out-list|miscategorized)\b/i;

const feedbackIn = (mail: ParsedMail): MailHeaders | undefined => {
  const part = mail.attachments.find(({ contentType }) => contentType === 'message/feedback-report');
  // A blank line before the fields does not end them.
  return part && fieldsOf(part.content.subarray(0, MAX_BYTES).toString('utf8'));
};

/**
 * The complaint in a report that a recipient marked our mail as spam (ARF, and the form that Outlook.com sends); undefined if
 * the mail is none, empty if it does not name the recipient.
 */
export function complaintsIn(
  mail: ParsedMail,
  headers: MailHeaders,
  occurredAt: Date,
  channel: AdapterChannel,
): InboundConsent[] | undefined {
  const type = headers.get('content-type') ?? '';
  const feedback = feedbackIn(mail);
  const originals = originalHeadersIn(mail);
  const outlook = originals.find((original) => original.has('x-hmxmroriginalrecipient'));
  const isReport = /^multipart\/report\b/i.test(type) && /report-type\s?=\s?"?feedback-report/i.test(type);
  if (!isReport && !outlook && !feedback) return undefined;
  const kind = feedback?.get('feedback-type') ?? 'abuse';
  if (!UNWANTED.test(kind)) return [];
  const own = ownAddresses(channel);
  const [complainer] = [
    feedback?.get('original-rcpt-to'),
    feedback?.get('removal-recipient'),
    outlook?.get('x-hmxmroriginalrecipient'),
    ...originals.map((original) => original.get('to')),
  ]
    .flatMap((value) => addressesIn((value ?? '').slice(0, 1_000)))
    .filter((address) => isAddress(address) && !own.includes(address));
  if (complainer === undefined) return [];
  return [
    {
      kind: 'consent',
      handles: [{ type: 'email', value: complainer }],
      subscription: 'stop',
      source: 'complaint',
      occurredAt,
      proof: {
        feedbackType: kind.slice(0, 100),
        reporter: (headers.get('from') ?? '').slice(0, 200),
        messageId:
          originals.flatMap((original) => original.get('message-id') ?? [])[0]?.slice(0, 500) ?? null,
      },
    },
  ];
}
