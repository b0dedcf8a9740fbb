const MAX_HREF = 2_000;
const HREF = /\shref\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/i;

/** Where a link leads, if that is a page. */
export function hrefOf(tag: string, decode: (text: string) => string): string | undefined {
  const [, double, single, plain] = HREF.exec(tag) ?? [];
  const href = decode(double ?? single ?? plain ?? '').trim();
  return /^https?:\/\//i.test(href) && href.length <= MAX_HREF ? href.replaceAll(/\s/g, '%20') : undefined;
}

const bareUrl = (url: string): string =>
  url
    .trim()
    .replace(/^(?:https?:\/\/)?(?:www\.)?/i, '')
    .replace(/\/$/, '')
    .toLowerCase();

/** What follows the label of a link: its address, unless the label is the address. */
export function linkText(href: string, label: string): string {
  if (label.trim() === '') return '';
  return bareUrl(label) === bareUrl(href) ? '' : `${label.endsWith(' ') ? '' : ' '}(${href})`;
}

/** Elements of Yahoo Mail that contain the earlier mails. */
export const QUOTED_CLASS = /\sclass\s{0,5}=\s{0,5}["']?[^"'>]{0,300}\byahoo_quoted\b/i;

/** The element of Outlook after which the earlier mail follows, with its sender, time and subject. */
export const isReplyHeader = (tag: string): boolean => /\sid\s{0,5}=\s{0,5}["']?divRplyFwdMsg\b/i.test(tag);

/** Whether a blockquote is a quotation, and not an indented paragraph. */
export const isQuotation = (tag: string): boolean =>
  /\stype\s{0,5}=\s{0,5}["']?cite|\bgmail_quote\b|\scite\s{0,5}=/i.test(tag) ||
  !/border\s{0,5}:\s{0,5}none/i.test(tag);
