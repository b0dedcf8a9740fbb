import { describe, expect, it } from 'vitest';
import { errors } from '../../../../console/src/i18n/de/errors.ts';
import { validation } from '../../../../console/src/i18n/de/validation.ts';
import { validationContent } from '../../../../console/src/i18n/de/validation-content.ts';
import { createMessageTranslator } from '../../../../console/src/i18n/server-messages.ts';
import { limitReached } from '../../../src/access/limits.ts';
import { limitNames } from '../../../src/http/permissions.ts';
import { findValidationMessages, shownErrors } from '../../kit/validation-messages.ts';

const german: Readonly<Record<string, string>> = { ...validation, ...validationContent, ...errors };
const translate = createMessageTranslator(german);
const { messages, unknown, details, unknownDetails, texts } = findValidationMessages();

/**
 * Expressions that are messages of other places: those have translations of their own, or are words of a library. A new one
 * belongs here only if what it says is found otherwise.
 */
const KNOWN_EXPRESSIONS = [
  'automations/definition/liquid.ts: originalError.message',
  'automations/definition/rules.ts: decision.reason',
  'automations/definition/rules.ts: message',
  "automations/definition/rules.ts: message.replace(/; did you mean .*$/s, '')",
  'automations/definition/rules.ts: originalError.message',
  'automations/definition/validate.ts: await findAudienceIssue(db, audience)',
  'automations/dry-run/receive.ts: issue?.message',
  'campaigns/validate-campaign.ts: await findAudienceIssue(tx, query)',
  'channels/validate-channel.ts: decision.reason',
  'channels/vendor-key.ts: message',
  'http/errors.ts: brokenBodies[code]',
  'http/upload.ts: FORM_ISSUES.get(code)',
  'imports/create-import.ts: error.message',
  'imports/read-row.ts: issue.message',
  'imports/read-row.ts: readers[field as ContactColumn]?.(contact, text, rules)',
  'imports/run-import.ts: MESSAGES.tooManyRows',
  'messages/outbound/validate-media.ts: decision.reason',
  'providers/meta/config.ts: rule',
  'providers/settings.ts: message',
  'saved-replies/saved-reply.ts: originalError.message',
  'search/grammar/tokens.ts: problem',
  'search/grammar/tokens.ts: quote(token.text)',
  'search/grammar/tokens.ts: rest',
  'search/request.ts: error.message',
  'segments/segment.ts: error.message',
  'webhooks/validate-webhook.ts: decision.reason',
];

/** A text as the server sends it, with values that could be anything. */
const withValues = (text: string): string => {
  let number = 0;
  return text.replaceAll('{}', () => `‹${++number}›`);
};

describe('what the server says is wrong with a request', () => {
  it('is found in its sources', () => {
    expect(messages.size).toBeGreaterThan(350);
    expect([...unknown].sort()).toEqual([...KNOWN_EXPRESSIONS].sort());
  });

  it.each([...messages])('has a German translation: %s', (text) => {
    expect(Object.hasOwn(german, text)).toBe(true);
    const said = translate(withValues(text)) as string;
    expect(said).toBeTypeOf('string');
    // Every value is said, unless the translation leaves it out on purpose.
    for (const [place] of (german[text] as string).matchAll(/\{\d\*?\}/g))
      if (text.includes('{}')) expect(said).toContain(`‹${place[1]}›`);
    expect(said).not.toMatch(/\{\d\*?\}(?!\})/);
  });

  it('has no translation of what the server does not say', () => {
    const named = new Set(shownErrors.map((name) => `${name}: {}`));
    expect(Object.keys(german).filter((text) => !texts.has(text) && !named.has(text))).toEqual([]);
  });

  it.each([
    ['Required', 'Erforderlich'],
    ['There is already a label "Required"', 'Es gibt schon ein Label „Required“'],
    ['There is already a label "$1 $& {1} {}"', 'Es gibt schon ein Label „$1 $& {1} {}“'],
    ['Must have at least 1 character(s), received 0', 'Muss mindestens 1 Zeichen haben, hat aber 0'],
    ['Must be a UUID, received "x, received y"', 'Muss eine UUID sein, nicht "x, received y"'],
    ['Must be >= 1, received 0', 'Muss >= 1 sein, nicht 0'],
    ['Must be one of "a", "b", received "c"', 'Muss einer dieser Werte sein: "a", "b"; nicht "c"'],
    [
      'Must be an account SID: AC and 32 digits or letters a to f',
      'Muss eine Account-SID (AC und 32 Ziffern oder Buchstaben a bis f) sein',
    ],
    [
      'Unknown field "nme" at column 4; did you mean "name"?',
      'Unbekanntes Feld "nme" (Spalte 4); meinten Sie „name“?',
    ],
    [
      'Expected text in quotes for "name" at column 9, found end of input',
      'Erwartet wird ein Text in Anführungszeichen für "name" (Spalte 9), gefunden wurde das Ende',
    ],
    [
      'DE has no number such as $1 $& <b>: check the number of digits',
      'DE hat keine Nummer wie $1 $& <b>: Prüfen Sie die Anzahl der Ziffern',
    ],
  ])('%s', (text, said) => {
    expect(translate(text)).toBe(said);
  });

  it('of another server is left as it is', () => {
    expect(translate('Something else entirely')).toBeUndefined();
  });

  it('takes no time, however long a value is', () => {
    const long = `${'at column '.repeat(20_000)}, received `.repeat(3);
    expect(translate(`There is no label "${long}"`) === `Es gibt kein Label „${long}“`).toBe(true);
  });
});

/** Sentences of errors that are made elsewhere, about tokens, which no page of the console sends. */
const KNOWN_DETAILS = ['http/authenticate.ts: detail'];

describe('why the server refuses a request as a whole', () => {
  it('is found in its sources', () => {
    expect(details.size).toBeGreaterThan(80);
    expect([...unknownDetails].sort()).toEqual(KNOWN_DETAILS);
  });

  it.each(shownErrors)('has a German name: %s', (name) => {
    expect(translate(name)).toBe(errors[name]);
    expect(errors[name]).toBeTypeOf('string');
  });

  it.each([...details])('has a German translation: %s', (text, name) => {
    expect(Object.hasOwn(errors, text)).toBe(true);
    const said = translate(`${name}: ${withValues(text)}`) as string;
    const sentence = translate(withValues(text)) as string;
    expect(said).toBe((errors[`${name}: {}`] as string).replace('{1*}', () => sentence));
    for (const [place] of (errors[text] as string).matchAll(/\{\d\*?\}/g))
      expect(said).toContain(`‹${place[1]}›`);
  });

  it.each([...limitNames])('has a German name of the limit %s, and what to do about it', (name) => {
    const said = translate(limitReached(name, 5).message) as string;
    expect(said).toMatch(/^Eine Grenze ist erreicht: .* ist 5 für diesen Mandanten; .* Betreiber um mehr$/);
    expect(said).toContain(errors[name]);
    expect(said).not.toMatch(/\b(?:delete|make|try|close|replay|wait)\b/);
  });

  it.each([
    [
      'Conflict: the label is used by the campaign "Sale, the $1" (0), the automation "Hi" (1) and others; change them first, or add ?force=true',
      'Label in Verwendung: Kampagne „Sale, the $1“ (0), Automation „Hi“ (1) und weitere. Ändern Sie das zuerst, oder löschen Sie trotzdem',
    ],
    [
      'Conflict: the automation is draft and was never published; publish it, and cannot become active',
      'Die Automation ist ein Entwurf, wurde nie veröffentlicht (veröffentlichen Sie sie) und kann nicht aktiv werden',
    ],
    [
      'Conflict: the automation is archived, and cannot become active',
      'Die Automation ist archiviert und kann nicht aktiv werden',
    ],
    ['Conflict: the vendor says: (#100) the {} is used', 'Der Anbieter sagt: (#100) the {} is used'],
    [
      'Conflict: There is no label 7; change the automation first',
      'Es gibt kein Label 7; ändern Sie zuerst die Automation',
    ],
  ])('%s', (text, said) => {
    expect(translate(text)).toBe(said);
  });
});
