let translate = (text: string): string => text;

/** A text of the server in the language that is shown, for what is not a component. */
export const translateNow = (text: string): string => translate(text);

export function setTranslateNow(next: (text: string) => string): void {
  translate = next;
}
