import { useState } from 'react';
import { type Translator, useTranslator } from '../../i18n/i18n.tsx';

type Values = Readonly<Record<string, string>>;

/** What a variable could be, by its name. */
function sampleOf(name: string, { formatDate }: Translator): string {
  if (/name/i.test(name)) return 'Ada';
  if (/date|day|tag|datum/i.test(name)) return formatDate(new Date());
  if (/time|uhr|zeit/i.test(name)) return formatDate(new Date(), 'time');
  if (/code|number|nummer|order|id$/i.test(name)) return '10423';
  return `[${name}]`;
}

interface Samples {
  values: Values;
  setValue(name: string, value: string): void;
}

/** Values for a preview, which can be changed. */
export function useSamples(names: readonly string[]): Samples {
  const translator = useTranslator();
  const [given, setGiven] = useState<Values>({});
  return {
    values: Object.fromEntries(names.map((name) => [name, given[name] ?? sampleOf(name, translator)])),
    setValue: (name, value) => setGiven((before) => ({ ...before, [name]: value })),
  };
}
