import { describe, expect, it } from 'vitest';
import { collectIssues } from '../../../src/base/issues.ts';
import {
  renderTemplate,
  type TemplateTexts,
  validateFilledLength,
  validateVariables,
} from '../../../src/templates/render.ts';

const template: TemplateTexts = {
  header: { type: 'text', text: 'For {{name}}', url: null },
  body: 'Hello {{name}}, {{1}} {{name}}! { name } {name}',
  footer: 'Answer STOP',
  buttons: [
    { type: 'url', text: 'Look', url: 'https://example.com/{{slug}}?a=1', phoneNumber: null },
    { type: 'phone_number', text: 'Call', url: null, phoneNumber: '+15550009999' },
  ],
};
const variables = { name: 'Ada', 1: 'good day', slug: 'a/b c?d=é' };

const validate = (given: TemplateTexts, values: Record<string, unknown>) => {
  const issues = collectIssues();
  validateVariables(given, values, issues.at('template.variables'));
  return issues.params;
};

describe('the variables of a template', () => {
  it('are valid if each has a text', () => {
    expect(validate(template, variables)).toEqual({});
    expect(validate({ ...template, header: null, body: 'x', buttons: [] }, {})).toEqual({});
  });

  it('have an issue each if missing, of another type, empty or unknown', () => {
    expect(validate(template, { name: 7, slug: ' ', nmae: 'x' })).toEqual({
      'template.variables.name': { key: 'invalid_type', message: 'Expected string, received number' },
      'template.variables.1': { key: 'invalid_type', message: 'Required' },
      'template.variables.slug': { key: 'too_small', message: 'Must not be empty' },
      'template.variables.nmae': {
        key: 'unrecognized_keys',
        message: 'The template has no variable "nmae"; it has name, 1, slug',
      },
    });
    expect(Object.keys(validate(template, { ...variables, name: null }))).toEqual([
      'template.variables.name',
    ]);
  });

  it('X2: are refused if the template repeats a long value thousands of times', () => {
    const repeating = { ...template, header: null, buttons: [], body: '{{a}}'.repeat(13_000) };
    const issues = collectIssues();
    expect(validateFilledLength(repeating, { a: 'x'.repeat(1_000_000) }, issues)).toBe(false);
    expect(issues.params).toMatchObject({ a: { key: 'too_big' } });
    expect(validateFilledLength(repeating, { a: 'x' }, issues)).toBe(true);
  });

  it('are refused a hundred at a time, however many are unknown', () => {
    const many = Array.from({ length: 7_000 }, (_, n) => `{{v${n}}}`).join('');
    const given = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`w${n}`, 'x']));
    const issues = validate({ ...template, body: many }, given);
    expect(Object.keys(issues).length).toBe(100);
  });

  it('are own properties, not inherited ones', () => {
    const odd = { ...template, header: null, body: '{{toString}}', buttons: [] };
    expect(Object.keys(validate(odd, {}))).toEqual(['template.variables.toString']);
    expect(renderTemplate(odd, {}).body).toBe('');
  });
});

describe('a rendered template', () => {
  it('has the values in all texts', () => {
    expect(renderTemplate(template, variables)).toEqual({
      header: { type: 'text', text: 'For Ada', url: null },
      body: 'Hello Ada, good day Ada! { name } {name}',
      footer: 'Answer STOP',
      buttons: [
        {
          type: 'url',
          text: 'Look',
          url: 'https://example.com/a%2Fb%20c%3Fd%3D%C3%A9?a=1',
          phoneNumber: null,
        },
        { type: 'phone_number', text: 'Call', url: null, phoneNumber: '+15550009999' },
      ],
    });
  });

  it('does not expand values that look like variables or replacements', () => {
    const { body } = renderTemplate({ ...template, body: '{{name}}{{1}}' }, { name: '{{1}}$&', 1: '$1' });
    expect(body).toBe('{{1}}$&$1');
  });

  it('has the values in the URL of its header', () => {
    const header = { type: 'image' as const, text: null, url: 'https://example.com/{{name}}.png' };
    expect(renderTemplate({ ...template, header }, variables).header?.url).toBe(
      'https://example.com/Ada.png',
    );
  });
});
