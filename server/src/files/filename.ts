const MAX_LENGTH = 255;
const MAX_EXTENSION_LENGTH = 20;

/** Control characters, line breaks, and direction marks that would display `exe.jpg` as `gpj.exe`. */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The name to show for a file: the name given by the client, without folders and without unsafe characters. */
export function shownName(given = ''): string {
  const base = given.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const name = base.replace(UNSHOWABLE, '').trim();
  if (/^\.*$/.test(name)) return 'file';
  const characters = [...name];
  if (characters.length <= MAX_LENGTH) return name;
  const dot = characters.lastIndexOf('.');
  const extension = characters.length - dot <= MAX_EXTENSION_LENGTH ? characters.slice(dot) : [];
  return [...characters.slice(0, MAX_LENGTH - extension.length), ...extension].join('');
}

/** The name of a file without one, by its type. */
export function nameByType(mimeType: string | null): string {
  const [kind = '', subtype = ''] = (mimeType ?? '').toLowerCase().split(';', 1)[0]?.trim().split('/') ?? [];
  if (!/^[a-z0-9]{2,5}$/.test(subtype)) return 'file';
  return ['image', 'audio', 'video'].includes(kind)
    ? `${kind}.${subtype}`
    : subtype === 'pdf'
      ? 'document.pdf'
      : 'file';
}

/** The `Content-Disposition` header, with the name in ASCII for old clients and in full for all others (RFC 6266). */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
