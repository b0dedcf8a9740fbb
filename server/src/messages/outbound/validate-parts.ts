import { countCharacters } from '../../base/characters.ts';
import type { Issues } from '../../base/issues.ts';
import { capabilities } from '../../providers/capabilities.ts';
import { type InteractiveContent, validateInteractive } from '../../providers/interactive.ts';
import type { ChannelKind, sendableTypes } from '../../providers/kinds.ts';
import { isMediaType } from '../../providers/media-kind.ts';
import type { NewChatMessage } from '../schema.ts';

export type SendableType = (typeof sendableTypes)[number];

/** The parts of a message that depend on its type. */
const parts = [
  'text',
  'media',
  'template',
  'interactive',
  'reaction',
  'location',
  'contacts',
  'email',
] as const;
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
  contacts: { contacts: 'required' },
  interactive: { interactive: 'required', text: 'optional', media: 'optional' },
  reaction: { reaction: 'required' },
  template: { template: 'required' },
  email: { email: 'required', text: 'optional', media: 'optional' },
};

/** The type of a message by its parts; undefined if it has none. */
export function typeByParts(given: NewChatMessage, mediaType: () => SendableType): SendableType | undefined {
  for (const part of ['template', 'reaction', 'location', 'contacts', 'interactive', 'email'] as const)
    if (given[part] !== undefined) return part;
  if (given.media !== undefined) return mediaType();
  return given.text === undefined ? undefined : 'text';
}

/** Checks that a message has the parts that its type requires and no others, and that the channel supports the type. */
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
      issues.add(part, 'custom', `Not allowed for the type "${type}"`);
  }
  if (type === 'email' && given.email?.html === undefined && given.text === undefined)
    issues.add('text', 'custom', '`text` or `email.html` is required for a mail');
  if (type === 'interactive' && given.interactive && capabilities[kind].types.includes(type))
    validateInteractive(
      kind,
      {
        text: given.text ?? null,
        content: given.interactive as InteractiveContent,
        hasFile: given.media !== undefined,
      },
      issues,
      'interactive',
    );
}

const lengthOf = (text: string, unit: 'characters' | 'bytes'): number =>
  unit === 'bytes' ? Buffer.byteLength(text) : countCharacters(text);

/** Checks the length of a text. `path` is the parameter that it comes from. */
export function validateText(
  text: string | null,
  type: SendableType,
  kind: ChannelKind,
  path: string,
  issues: Issues,
): void {
  const { text: limit, maxCaption, types } = capabilities[kind];
  if (text === null || !types.includes(type)) return;
  const isCaption = isMediaType(type);
  const max = isCaption ? maxCaption : limit.max;
  const length = lengthOf(text, limit.unit);
  if (isCaption && max === 0)
    issues.add(path, 'custom', `There are no captions on ${kind}: send the text by itself`);
  else if (length > max)
    issues.add(path, 'too_big', `Must have at most ${max} ${limit.unit} on ${kind}, received ${length}`);
}
