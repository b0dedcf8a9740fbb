import type { Issues } from '../../base/issues.ts';
import type { ChannelKind } from '../../providers/adapter.ts';
import { capabilities } from '../../providers/capabilities.ts';
import { isMediaType } from '../../providers/media-kind.ts';
import type { NewChatMessage, sendableTypes } from '../schema.ts';

export type SendableType = (typeof sendableTypes)[number];

/** What a message is made of, beside what every one can have. */
const parts = ['text', 'media', 'template', 'interactive', 'reaction', 'location', 'email'] as const;
type Part = (typeof parts)[number];
type Rule = 'required' | 'optional';

const file: Partial<Record<Part, Rule>> = { media: 'required', text: 'optional' };
const partsOf: Record<SendableType, Partial<Record<Part, Rule>>> = {
  text: { text: 'required' },
  image: file,
  video: file,
  audio: file,
  document: file,
  sticker: { media: 'required' },
  location: { location: 'required' },
  interactive: { interactive: 'required', text: 'required' },
  reaction: { reaction: 'required' },
  template: { template: 'required' },
  email: { email: 'required', text: 'optional', media: 'optional' },
};

/** The type that a message has by what it is made of; undefined for one that is made of nothing. */
export function typeByParts(given: NewChatMessage, mediaType: () => SendableType): SendableType | undefined {
  for (const part of ['template', 'reaction', 'location', 'interactive', 'email'] as const)
    if (given[part] !== undefined) return part;
  if (given.media !== undefined) return mediaType();
  return given.text === undefined ? undefined : 'text';
}

/** Whether a message has what its type needs and nothing that it cannot have, on a channel of this kind. */
export function validateParts(
  given: NewChatMessage,
  type: SendableType,
  kind: ChannelKind,
  issues: Issues,
): void {
  if (!capabilities[kind].types.includes(type)) {
    const message = `A message of the type "${type}" cannot be sent on ${kind}: only ${capabilities[kind].types.join(', ')}`;
    issues.add('type', 'custom', message);
  }
  for (const part of parts) {
    const rule = partsOf[type][part];
    if (rule === 'required' && given[part] === undefined) issues.add(part, 'invalid_type', 'Required');
    if (rule === undefined && given[part] !== undefined)
      issues.add(part, 'custom', `Not for a message of the type "${type}"`);
  }
  if (type === 'email' && given.email?.html === undefined && given.text === undefined)
    issues.add('text', 'custom', 'A mail needs `text`, `email.html` or both');
  if (
    given.interactive &&
    (given.interactive.buttons === undefined) === (given.interactive.list === undefined)
  )
    issues.add('interactive', 'custom', 'Needs either `buttons` or `list`');
}

const lengthOf = (text: string, unit: 'characters' | 'bytes'): number =>
  unit === 'bytes' ? Buffer.byteLength(text) : [...text].length;

/** Whether a text is short enough, at the parameter that made it. */
export function validateText(
  text: string | null,
  type: SendableType,
  kind: ChannelKind,
  path: string,
  issues: Issues,
): void {
  const { text: limit, captionMost, types } = capabilities[kind];
  if (text === null || !types.includes(type)) return;
  const isCaption = isMediaType(type) || type === 'interactive';
  const most = isCaption ? captionMost : limit.most;
  const length = lengthOf(text, limit.unit);
  if (isCaption && most === 0)
    issues.add(path, 'custom', `There are no captions on ${kind}: send the text by itself`);
  else if (length > most)
    issues.add(path, 'too_big', `Must have at most ${most} ${limit.unit} on ${kind}, received ${length}`);
}
