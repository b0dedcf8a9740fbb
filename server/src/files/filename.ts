const LONGEST = 255;
const LONGEST_EXTENSION = 20;

/** Control characters, line breaks, and marks that would make `gpj.exe` of `exe.jpg`. */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The name to show for a file: what the client calls it, less its folders and whatever could deceive or break a line. */
export function shownName(given = ''): string {
  const base = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = base.replace(UNSHOWABLE, '').trim();
  if (/^\.*$/.test(name)) return 'file';
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const dot = characters.lastIndexOf('.');
  const extension = characters.length - dot <= LONGEST_EXTENSION ? characters.slice(dot) : [];
  return [...characters.slice(0, LONGEST - extension.length), ...extension].join('');
}

/** The name of a file that has none: a picture is a picture also when it is saved. */
export function nameByType(mimeType: string | null): string {
  const [kind = '', form = ''] = (mimeType ?? '').toLowerCase().split(';', 1)[0]?.trim().split('/') ?? [];
  if (!/^[a-z0-9]{2,5}$/.test(form)) return 'file';
  return ['image', 'audio', 'video'].includes(kind)
    ? `${kind}.${form}`
    : form === 'pdf'
      ? 'document.pdf'
      : 'file';
}

/** `Content-Disposition`, with the name in ASCII for old clients and whole for all others (RFC 6266). */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}
