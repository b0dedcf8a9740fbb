import type { StreamEvent } from '@parley/sdk';
import { textIn } from '../api/content.ts';

type Described = Pick<StreamEvent, 'type' | 'data'>;

/** The contact that an event is about. */
export const contactIdOf = ({ type, data }: Described): string | undefined =>
  type.startsWith('contact.')
    ? (textIn(data, 'contact', 'id') ?? textIn(data, 'id'))
    : textIn(data, 'contactId');

/** The chat that an event is about. */
export const chatIdOf = ({ type, data }: Described): string | undefined =>
  textIn(data, type.startsWith('chat.') ? 'id' : 'chatId');
