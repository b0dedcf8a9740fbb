import { describe, expect, it } from 'vitest';
import { render, renderSimple } from '../../../../src/automations/definition/liquid.ts';

const AT = '2026-11-15T01:02:03.456Z';
const contact = (language: string | null, timezone: string | null) => ({ contact: { language, timezone } });

describe('dates in texts', () => {
  it.each([
    [null, null, 'Sunday, 15 November, 01:02'],
    ['de', 'Europe/Berlin', 'Sonntag, 15 November, 02:02'],
    ['fr-CA', 'America/Toronto', 'samedi, 14 novembre, 20:02'],
    [null, 'Asia/Kolkata', 'Sunday, 15 November, 06:32'],
  ])('are written in the language %s and the zone %s of the contact', (language, timezone, text) => {
    const template = `{{ "${AT}" | date: "%A, %d %B, %H:%M" }}`;
    expect(render(template, contact(language, timezone))).toEqual({ text });
    expect(renderSimple(template, contact(language, timezone))).toEqual({ text });
  });

  it('without a time are the same day everywhere', () => {
    for (const zone of ['America/Los_Angeles', 'Pacific/Auckland', null])
      expect(render('{{ "2026-11-15" | date: "%d.%m.%Y" }}', contact('de', zone))).toEqual({
        text: '15.11.2026',
      });
  });

  it('are in another zone where the text says so, and stay as they are if they are none', () => {
    const of = (text: string) => render(text, contact('de', 'Europe/Berlin')).text;
    expect(of(`{{ "${AT}" | date: "%H:%M", "Asia/Tokyo" }}`)).toBe('10:02');
    expect(of('{{ "soon" | date: "%H:%M" }}')).toBe('soon');
  });
});
