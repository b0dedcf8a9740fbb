import { describe, expect, it } from 'vitest';
import { renderTemplate, type TemplateTexts, validateVariables } from '../../../src/templates/render.ts';

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

describe('the values for a template', () => {
  it('are right when each variable has a text', () => {
    expect(validateVariables(template, variables, 'template.variables')).toEqual({});
    expect(validateVariables({ ...template, header: null, body: 'x', buttons: [] }, {}, 'v')).toEqual({});
  });

  it('are wrong by path: missing, of another type, empty, unknown', () => {
    const issues = validateVariables(template, { name: 7, slug: ' ', nmae: 'x' }, 'template.variables');
    expect(issues).toEqual({
      'template.variables.name': { key: 'invalid_type', message: 'Expected string, received number' },
      'template.variables.1': { key: 'invalid_type', message: 'Required' },
      'template.variables.slug': { key: 'too_small', message: 'Must have something to show' },
      'template.variables.nmae': {
        key: 'unrecognized_keys',
        message: 'The template has no variable "nmae"; it has name, 1, slug',
      },
    });
    expect(Object.keys(validateVariables(template, { ...variables, name: null }, 'v'))).toEqual(['v.name']);
  });

  it('are the caller’s own, not what every object has', () => {
    const odd = { ...template, header: null, body: '{{toString}}', buttons: [] };
    expect(Object.keys(validateVariables(odd, {}, 'v'))).toEqual(['v.toString']);
    expect(renderTemplate(odd, {}).body).toBe('');
  });
});

describe('a template with its values', () => {
  it('says in every text what it was given', () => {
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

  it('takes a value as it is, also one that looks like a variable or a replacement', () => {
    const { body } = renderTemplate({ ...template, body: '{{name}}{{1}}' }, { name: '{{1}}$&', 1: '$1' });
    expect(body).toBe('{{1}}$&$1');
  });

  it('has the file of its header at the URL that it was given', () => {
    const header = { type: 'image' as const, text: null, url: 'https://example.com/{{name}}.png' };
    expect(renderTemplate({ ...template, header }, variables).header?.url).toBe(
      'https://example.com/Ada.png',
    );
  });
});
