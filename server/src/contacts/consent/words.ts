import type { ChannelKind } from '../../providers/kinds.ts';

/** A language in which people opt out: the words, and what is answered. */
interface OptOutLanguage {
  words: readonly string[];
  /** Where START is how to undo it. */
  confirmation: string;
}

/**
 * The words that end messages everywhere, as normalizeWord writes them. A word counts in every language: a chat has none.
 * The confirmation is in the language of the word.
 */
export const optOutLanguages: Readonly<Record<string, OptOutLanguage>> = {
  en: {
    words: ['stop', 'stopall', 'unsubscribe', 'opt out', 'optout'],
    confirmation: 'You will get no more news from us. Reply START to get them again.',
  },
  de: {
    words: ['stopp', 'abmelden'],
    confirmation:
      'Sie erhalten keine Nachrichten mehr von uns. Antworten Sie START, um sie wieder zu erhalten.',
  },
  fr: {
    words: ['arret', 'desabonner'],
    confirmation: 'Vous ne recevrez plus nos messages. Répondez START pour les recevoir à nouveau.',
  },
  es: {
    words: ['baja'],
    confirmation: 'No recibirá más mensajes nuestros. Responda START para volver a recibirlos.',
  },
  it: {
    words: ['disiscrivimi'],
    confirmation: 'Non riceverà più nostri messaggi. Risponda START per riceverli di nuovo.',
  },
  pt: {
    words: ['parar', 'sair'],
    confirmation: 'Não receberá mais mensagens nossas. Responda START para voltar a recebê-las.',
  },
  nl: {
    words: ['afmelden', 'uitschrijven'],
    confirmation: 'U ontvangt geen berichten meer van ons. Antwoord START om ze weer te ontvangen.',
  },
  pl: {
    words: ['wypisz'],
    confirmation: 'Nie będziemy już wysyłać wiadomości. Odpowiedz START, aby znów je otrzymywać.',
  },
  sv: {
    words: ['avsluta'],
    confirmation: 'Du får inga fler meddelanden från oss. Svara START för att få dem igen.',
  },
  da: {
    words: ['afmeld'],
    confirmation: 'Du får ikke flere beskeder fra os. Svar START for at få dem igen.',
  },
  ru: {
    words: ['стоп', 'отписаться'],
    confirmation: 'Вы больше не будете получать наши сообщения. Ответьте START, чтобы получать их снова.',
  },
  tr: {
    words: ['abonelikten cik'],
    confirmation: 'Artık bizden mesaj almayacaksınız. Yeniden almak için START yazın.',
  },
};

export const defaultStopWords: readonly string[] = Object.values(optOutLanguages).flatMap(
  ({ words }) => words,
);
/** They also answer questions, so they only count where carriers demand it, and only if nothing was asked. */
const SMS_STOP_WORDS = ['cancel', 'end', 'quit', 'revoke'];
/** Never yes or ok: those are answers. */
export const defaultStartWords: readonly string[] = ['start', 'unstop', 'subscribe'];

/** No opt-out is longer, and long texts are not looked at. */
export const MAX_WORD_CHARACTERS = 40;

/** A word as it is compared: without case, accents, punctuation and superfluous spaces. */
export const normalizeWord = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    // Turkish: neither is an accent in Unicode.
    .replaceAll('ı', 'i')
    .replaceAll(/[\p{P}\p{S}\p{C}]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** The words of a channel; null means the defaults. */
export interface ConsentWords {
  optOutWords: readonly string[] | null;
  optInWords: readonly string[] | null;
}

export interface FoundWord {
  subscription: 'stop' | 'start';
  /** Whether it only counts if no run waits for an answer. */
  isWeak: boolean;
  word: string;
}

/** The defaults are compared as they are: normalizing them for each message took 36 µs. */
const has = (words: readonly string[] | null, defaults: readonly string[], word: string): boolean =>
  words === null ? defaults.includes(word) : words.some((one) => normalizeWord(one) === word);

/** The opt-out or opt-in that a whole message consists of. In a sentence these words mean nothing. */
export function findConsentWord(
  text: string | null,
  kind: ChannelKind,
  { optOutWords, optInWords }: ConsentWords,
): FoundWord | undefined {
  if (text === null || text.length > MAX_WORD_CHARACTERS) return undefined;
  const word = normalizeWord(text);
  if (word === '') return undefined;
  if (has(optInWords, defaultStartWords, word)) return { subscription: 'start', isWeak: false, word };
  if (has(optOutWords, defaultStopWords, word)) return { subscription: 'stop', isWeak: false, word };
  if (optOutWords === null && kind === 'sms' && SMS_STOP_WORDS.includes(word))
    return { subscription: 'stop', isWeak: true, word };
  return undefined;
}

/** What confirms an opt-out, in the language of its word. */
export const confirmationOf = (word: string): string =>
  (
    Object.values(optOutLanguages).find(({ words }) => words.includes(word)) ??
    (optOutLanguages.en as OptOutLanguage)
  ).confirmation;
