import { describe, expect, it } from 'vitest';
import { attributeTypes } from '../../src/attributes/schema.ts';
import { validateRule } from '../../src/automations/definition/recurrence.ts';
import { systemClock } from '../../src/base/clock.ts';
import { isUuid } from '../../src/base/ids.ts';
import { collectIssues } from '../../src/base/issues.ts';
import { validateTimes } from '../../src/campaigns/schedule.ts';
import { validateVariables } from '../../src/campaigns/variables.ts';
import { mentions } from '../../src/channels/erase-inbound.ts';
import { validateValue } from '../../src/contacts/attributes/values.ts';
import { validateHandle } from '../../src/contacts/handles/validate.ts';
import { retiringVersion } from '../../src/http/sunset.ts';
import { isDateTime } from '../../src/http/validation.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { validateUrl } from '../../src/outbound/validate-url.ts';
import { channelKinds, handleTypes } from '../../src/providers/kinds.ts';
import { entriesOrNone } from '../../src/providers/meta/payload.ts';
import { fillWith } from '../../src/providers/placeholders.ts';
import { validateCustomer } from '../../src/providers/sandbox/customer.ts';
import { replySubject } from '../../src/providers/smtp/compose.ts';
import { bareAddress, isAddress } from '../../src/providers/smtp/config.ts';
import { fieldsOf, idsIn } from '../../src/providers/smtp/headers.ts';
import { textOf } from '../../src/providers/smtp/html-text.ts';
import { ownIdInAddresses } from '../../src/providers/smtp/own-ids.ts';
import { fillVariables } from '../../src/providers/template-text.ts';
import { isSignedByTwilio } from '../../src/providers/twilio/signature.ts';
import { numberHandle } from '../../src/providers/whatsapp_cloud/contact.ts';
import { variablesIn } from '../../src/providers/whatsapp_cloud/numbered-variables.ts';
import { whatsappCloud } from '../../src/providers/whatsapp_cloud/whatsapp-cloud.ts';
import { parseTime } from '../../src/search/fields.ts';
import { isKeyValue } from '../../src/search/sql/key.ts';
import { validateTemplate } from '../../src/templates/validate-template.ts';
import { retryAfterMs } from '../../src/webhooks/schedule.ts';

const retiring = retiringVersion({
  name: 'v1',
  deprecatedAt: new Date(0),
  endsAt: null,
  clock: systemClock,
  count: () => {},
});
const SIZE = 100_000;
const inputs: [string, (size: number) => string][] = [
  ['a', (size) => 'a'.repeat(size)],
  ['0', (size) => '0'.repeat(size)],
  ['blanks', (size) => ' '.repeat(size)],
  ['lines', (size) => '\n'.repeat(size)],
  ['@', (size) => '@'.repeat(size)],
  ['a@', (size) => 'a@'.repeat(size / 2)],
  ['a.', (size) => 'a.'.repeat(size / 2)],
  ['-', (size) => '-'.repeat(size)],
  ['a-', (size) => 'a-'.repeat(size / 2)],
  ['digits that nearly fit', (size) => `+${'1'.repeat(size)}x`],
  ['an address that nearly fits', (size) => `${'a'.repeat(size)}@`],
  ['a time that goes on', (size) => `2026-11-15T01:02:03.${'1'.repeat(size)}Z`],
  ['a number that goes on', (size) => `-1.${'1'.repeat(size)}e`],
  ['a host that goes on', (size) => `http://${'a.'.repeat(size / 2)}`],
  ['brackets', (size) => '['.repeat(size)],
  ['braces', (size) => '{'.repeat(size)],
  ['variables that nearly end', (size) => '{{a}'.repeat(size / 4)],
  ['an open bracket', (size) => `[${':'.repeat(size)}`],
  ['slashes', (size) => '/'.repeat(size)],
  ['percent signs', (size) => '%'.repeat(size)],
  ['an answer that nearly ends', (size) => `re${' '.repeat(size)}`],
  ['folded lines', (size) => '\r\n '.repeat(size / 3)],
  ['ids that nearly end', (size) => '<a@b '.repeat(size / 5)],
  ['surrogates', (size) => '\ud800'.repeat(size)],
];
const policy = { allow: parseAllowList(''), loopback: false };
const quietly = (work: () => unknown) => () => {
  try {
    work();
  } catch {}
};
const readers: [string, (text: string) => void][] = [
  ['an id', (text) => void isUuid(text)],
  ['a time of a body', (text) => void isDateTime(text)],
  ['a time of a filter', (text) => void parseTime(text)],
  [
    'a value of a cursor',
    (text) => {
      for (const type of ['number', 'time', 'uuid', 'string'] as const) isKeyValue(type, text);
    },
  ],
  [
    'a customer',
    (text) => {
      for (const kind of channelKinds) validateCustomer(text, kind);
    },
  ],
  [
    'a handle',
    (text) => {
      for (const type of handleTypes) for (const given of [text, `+${text}`]) validateHandle(type, given);
    },
  ],
  [
    'a value of an attribute',
    (text) => {
      for (const type of attributeTypes) validateValue({ type, options: ['a'] }, text);
    },
  ],
  ['a mention', (text) => void mentions(text, '15550001111')],
  ['a URL', (text) => void validateUrl(text, policy)],
  ['the allow-list', (text) => quietly(() => parseAllowList(text))()],
  ['a recurrence rule', (text) => void validateRule(text)],
  [
    'the plan of a campaign',
    (text) => {
      validateTimes({ recurrenceRules: [text, `EXDATE:${text}`] }, new Date(0), collectIssues());
      for (const type of ['number', 'boolean'] as const)
        validateVariables([{ name: 'x', type }], [{ name: 'x', value: text }], collectIssues());
    },
  ],
  [
    'a template',
    (text) => {
      const buttons = [{ type: 'url' as const, text, url: text, phoneNumber: null }];
      const header = { type: 'text' as const, text, url: text };
      validateTemplate(
        {
          name: text,
          language: text,
          body: text,
          header,
          footer: text,
          buttons,
          cards: [{ header: { type: 'image', url: text }, body: text, buttons }],
          offer: { text, hasExpiration: true },
          authentication: null,
        },
        'marketing',
        'whatsapp',
        collectIssues(),
      );
    },
  ],
  [
    'the headers of a mail',
    (text) => {
      bareAddress(text);
      bareAddress(`<${text}>`);
      isAddress(text);
      replySubject(text);
      idsIn(text);
      fieldsOf(text);
      textOf(text);
      textOf(`<b>${text}`);
      ownIdInAddresses(text, { address: 'help@shop.test', config: {} });
    },
  ],
  ['a template that is filled', (text) => void fillVariables(text, {})],
  [
    'a URL that was signed',
    (text) => void isSignedByTwilio({ url: `https://${text}`, headers: {}, body: Buffer.from(text) }, 'a'),
  ],
  [
    'what Meta sends, and the settings of its channels',
    (text) => {
      for (const body of [text, `"message_template_id"${text}`, JSON.stringify({ entry: [{ id: text }] })])
        entriesOrNone({ url: '', headers: {}, body: Buffer.from(body) });
      numberHandle(text);
      variablesIn(text);
      fillWith(text, () => '');
      const settings = { phoneNumberId: text, accessToken: text, graphVersion: text, baseUrl: text };
      quietly(() => whatsappCloud.configure(settings, {}))();
    },
  ],
  ['a path', (text) => void retiring.has(text)],
  ['a Retry-After', (text) => void retryAfterMs(text, new Date(0))],
];

describe('D3: a reader of what comes from outside', () => {
  it.each(readers)('D3: %s takes work in proportion to its input', (_, read) => {
    const costOf = (make: (size: number) => string, size: number): number => {
      const text = make(size);
      const start = performance.now();
      read(text);
      return performance.now() - start;
    };
    /** The best of five: whatever else the machine does only ever adds. */
    const bestOf = (make: (size: number) => string, size: number): number =>
      Math.min(...Array.from({ length: 5 }, () => costOf(make, size)));
    for (const [name, make] of inputs) {
      // A quadratic reader takes forty thousand million steps here, and minutes; a linear one a few milliseconds.
      if (costOf(make, 2 * SIZE) < 2_000) continue;
      const [once, twice] = [bestOf(make, SIZE), bestOf(make, 2 * SIZE)];
      expect([name, twice < 10 * once + 2_000]).toEqual([name, true]);
    }
  });
});
