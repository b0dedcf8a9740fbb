import type { en } from './en.ts';

/** A text with a form for one and one for all other numbers. Others, such as `few`, where the language has them. */
export interface Plural {
  one: string;
  other: string;
}

/** The same keys, with texts in another language. */
export type Texts<T> = { readonly [K in keyof T]: T[K] extends string ? string : Plural };

type English = typeof en;
export type Catalogue = Texts<English>;
export type MessageKey = keyof English;

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type TextOf<K extends MessageKey> = English[K] extends string
  ? English[K]
  : English[K] extends Plural
    ? English[K]['other']
    : never;
/** What a text needs besides its key: a value for each `{name}` in it. */
export type Values<K extends MessageKey> = [NamesIn<TextOf<K>>] extends [never]
  ? []
  : [values: Record<NamesIn<TextOf<K>>, string | number>];
/** A key whose text needs no values, such as a title. */
export type PlainKey = { [K in MessageKey]: Values<K> extends [] ? K : never }[MessageKey];
