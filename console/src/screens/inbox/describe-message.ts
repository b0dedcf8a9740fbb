import type { Message } from '@parley/sdk';
import { textIn } from '../../api/content.ts';
import type { Translator } from '../../i18n/i18n.tsx';

type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';
const MEDIA: readonly string[] = ['image', 'video', 'audio', 'document', 'sticker'] satisfies MediaKind[];
export const isMediaKind = (type: string): type is MediaKind => MEDIA.includes(type);

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
