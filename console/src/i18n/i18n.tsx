import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { readPreference, usePreference } from '../app/preferences.ts';
import type { Catalogue, MessageKey, Plural, Values } from './catalogue.ts';
import { start } from './en-start.ts';
import { createMessageTranslator, type ServerMessages } from './server-messages.ts';
import { setTranslateNow } from './translate-now.ts';

interface Loaded {
  catalogue: Catalogue;
  /** Texts that the server has in English only, with their translation. */
  serverTexts: Readonly<Record<string, string>>;
  /** The same for what is wrong with a request. */
  serverMessages: ServerMessages;
}

/** English, of which the texts of screens are loaded with the first screen: they are a fifth of the first load. */
const english: Loaded = { catalogue: { ...start } as Catalogue, serverTexts: {}, serverMessages: {} };
async function completeEnglish(): Promise<Loaded> {
  Object.assign(english.catalogue, (await import('./en-screens.ts')).screens);
  return english;
}

/** The languages, by their own names. Each is a chunk that is loaded when it is chosen. */
const LANGUAGES = {
  en: { name: 'English', load: completeEnglish },
  de: {
    name: 'Deutsch',
    load: async (): Promise<Loaded> => {
      const { de, serverTexts, serverMessages } = await import('./de.ts');
      return { catalogue: de, serverTexts, serverMessages };
    },
  },
};
export type Language = keyof typeof LANGUAGES;
export const languages = Object.entries(LANGUAGES).map(([id, { name }]) => ({ id: id as Language, name }));

const isLanguage = (text: string | undefined): text is Language => text !== undefined && text in LANGUAGES;

/** The chosen language, or else the first of the browser's that there is. */
function languageOf(chosen: string | undefined): Language {
  const wanted = [chosen, ...navigator.languages.map((tag) => tag.split('-', 1)[0])];
  return wanted.find(isLanguage) ?? 'en';
}

export interface Translator {
  language: Language;
  /** The text of a key, with its values. */
  t<K extends MessageKey>(key: K, ...values: Values<K>): string;
  /** A text of the server, such as a step of a set-up; as it is if it has no translation. */
  translate(text: string): string;
  formatNumber(value: number): string;
  /** A part of a whole, such as "12%". */
  formatPercent(part: number, digits?: number): string;
  /** Such as "12 MB". */
  formatBytes(value: number): string;
  formatDate(date: Date, style?: 'date' | 'time' | 'dateTime' | 'clock' | 'full'): string;
  /** Such as "Today", or "Mon, Nov 16, 2026". */
  formatDay(date: Date, now: Date): string;
  /** Such as "3 min. ago". */
  formatAge(date: Date, now: Date): string;
  /** In the order of the language. */
  compare(a: string, b: string): number;
}

const DATE_STYLES = {
  date: { dateStyle: 'medium' },
  day: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  time: { timeStyle: 'short' },
  dateTime: { dateStyle: 'medium', timeStyle: 'short' },
  clock: { timeStyle: 'medium' },
  /** With the time zone: a colleague elsewhere may read it. */
  full: { dateStyle: 'full', timeStyle: 'long' },
} as const;

const KIB = 1024;
const BYTES = [
  ['byte', 0],
  ['kilobyte', 0],
  ['megabyte', 0],
  ['gigabyte', 1],
  ['terabyte', 1],
] as const;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAY_MS = 1000 * DAY;
/** From how many seconds on a unit is used. */
const AGES = [
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
] as const;

function createTranslator(
  language: Language,
  { catalogue, serverTexts, serverMessages }: Loaded,
): Translator {
  const translateMessage = createMessageTranslator(serverMessages);
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  const ages = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const dates = Object.fromEntries(
    Object.entries(DATE_STYLES).map(([name, style]) => [name, new Intl.DateTimeFormat(language, style)]),
  );
  const { compare } = new Intl.Collator(language, { numeric: true });
  const formOf = (text: string | Plural, count: unknown): string =>
    typeof text === 'string' ? text : plurals.select(Number(count)) === 'one' ? text.one : text.other;
  return {
    language,
    t(key, ...[values]) {
      const given: Record<string, string | number> = values ?? {};
      return formOf(catalogue[key], given.count).replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = given[name] ?? '';
        return typeof value === 'number' ? numbers.format(value) : value;
      });
    },
    translate: (text) =>
      Object.hasOwn(serverTexts, text) ? (serverTexts[text] as string) : (translateMessage(text) ?? text),
    formatNumber: (value) => numbers.format(value),
    formatPercent: (part, maximumFractionDigits = 0) =>
      new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits }).format(part),
    formatBytes(value) {
      const step = Math.min(BYTES.length - 1, Math.max(0, Math.floor(Math.log(value) / Math.log(KIB))));
      const [unit, digits] = value < 1 ? BYTES[0] : (BYTES[step] as (typeof BYTES)[number]);
      return new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay: 'short',
        maximumFractionDigits: digits,
      }).format(value < 1 ? 0 : value / KIB ** step);
    },
    formatDate: (date, style = 'date') => (dates[style] as Intl.DateTimeFormat).format(date),
    formatDay(date, now) {
      const midnight = (one: Date): number => new Date(one).setHours(0, 0, 0, 0);
      const days = Math.round((midnight(date) - midnight(now)) / DAY_MS);
      if (Math.abs(days) > 1) return (dates.day as Intl.DateTimeFormat).format(date);
      const word = ages.format(days, 'day');
      return word.charAt(0).toLocaleUpperCase(language) + word.slice(1);
    },
    formatAge(date, now) {
      const seconds = Math.round((date.getTime() - now.getTime()) / 1000);
      const [size, unit] = AGES.find(([size]) => Math.abs(seconds) >= size) ?? [1, 'second'];
      if (unit === 'second') return ages.format(0, 'second');
      if (unit === 'day' && Math.abs(seconds) >= 7 * DAY)
        return (dates.date as Intl.DateTimeFormat).format(date);
      return ages.format(Math.trunc(seconds / size), unit);
    },
    compare,
  };
}

const englishAtStart = createTranslator('en', english);
const Context = createContext<Translator>(englishAtStart);
export const useTranslator = (): Translator => useContext(Context);
/** The function that most components need: `const t = useText()`. */
export const useText = (): Translator['t'] => useTranslator().t;

const loadTranslator = async (language: Language): Promise<Translator> =>
  createTranslator(language, await LANGUAGES[language].load());

let first = englishAtStart;

/** Loaded before anything is shown, so that it is not shown in English first. */
export async function loadFirstTranslator(): Promise<Translator> {
  const language = languageOf(readPreference('language'));
  if (language !== 'en') first = await loadTranslator(language).catch(() => englishAtStart);
  setTranslateNow(first.translate);
  return first;
}

/** What every screen needs besides its own chunk. */
export async function loadScreenTexts(): Promise<void> {
  if (first === englishAtStart) await completeEnglish();
}

export function TranslatorProvider({ first, children }: { first: Translator; children: ReactNode }) {
  const language = languageOf(usePreference('language'));
  const [translator, setTranslator] = useState(first);
  useEffect(() => {
    let isCurrent = true;
    if (language !== translator.language)
      loadTranslator(language).then(
        (loaded) => {
          if (!isCurrent) return;
          setTranslateNow(loaded.translate);
          setTranslator(loaded);
        },
        // Offline: the present language stays.
        () => {},
      );
    return () => {
      isCurrent = false;
    };
  }, [language, translator]);
  useEffect(() => {
    document.documentElement.lang = translator.language;
  }, [translator]);
  const value = useMemo(() => translator, [translator]);
  return <Context value={value}>{children}</Context>;
}
