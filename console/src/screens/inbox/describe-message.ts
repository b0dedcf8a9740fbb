import type { Message } from '@parley/sdk';
import type { Translator } from '../../i18n/i18n.tsx';

type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';
const MEDIA: readonly string[] = ['image', 'video', 'audio', 'document', 'sticker'] satisfies MediaKind[];
export const isMediaKind = (type: string): type is MediaKind => MEDIA.includes(type);

/** A field of `content` that is a text. */
export function textIn(content: unknown, ...path: string[]): string | undefined {
  let value = content;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A field of `content` that is a list of objects. */
export function listIn(content: unknown, ...path: string[]): Record<string, unknown>[] {
  let value = content;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return Array.isArray(value)
    ? value.filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
    : [];
}

/** A message in one line, for lists. */
export function summarise(message: Message | null, t: Translator['t']): string {
  if (!message) return t('inbox.noMessages');
  if (message.deletedAt) return t('message.deleted');
  const { text, type, content, media } = message;
  if (text) return text;
  const subject = textIn(content, 'subject');
  if (subject) return subject;
  if (isMediaKind(type)) return media[0]?.filename ?? t(`message.type.${type}`);
  if (media[0]) return media[0].filename ?? t('message.type.document');
  if (type === 'reaction') return t('message.reacted', { emoji: textIn(content, 'emoji') ?? '' });
  if (type === 'location') return t('message.type.location');
  if (type === 'contacts') return t('message.type.contacts');
  if (type === 'template') return t('message.type.template');
  return t('message.type.other');
}
