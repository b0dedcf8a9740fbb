import type { CreateMessageTemplateBody, MessageTemplate } from '@parley/sdk';
import { variablesIn } from '../../api/content.ts';

export type Header = NonNullable<MessageTemplate['header']>;
export type TemplateButton = MessageTemplate['buttons'][number];
export type HeaderType = Header['type'] | 'none';

export const HEADER_TYPES: readonly HeaderType[] = ['none', 'text', 'image', 'video', 'document', 'location'];
/** Buttons that can be written here. The others need what only a developer knows. */
export const BUTTON_TYPES = ['quick_reply', 'url', 'phone_number', 'copy_code'] as const;

/** What a customer would see. */
export type Content = Pick<MessageTemplate, 'header' | 'body' | 'footer' | 'buttons' | 'cards' | 'offer'>;

/** A button while it is edited; its key stays when others are removed. */
export interface DraftButton extends TemplateButton {
  key: number;
}

/** A template while it is edited. */
export interface Draft {
  channelId: string;
  name: string;
  language: string;
  category: MessageTemplate['category'];
  headerType: HeaderType;
  headerText: string;
  headerUrl: string;
  body: string;
  footer: string;
  buttons: readonly DraftButton[];
}

export const draftOf = (template: MessageTemplate | undefined, channelId: string): Draft => ({
  channelId: template?.channelId ?? channelId,
  name: template?.name ?? '',
  language: template?.language ?? '',
  category: template?.category ?? 'utility',
  headerType: template?.header?.type ?? 'none',
  headerText: template?.header?.text ?? '',
  headerUrl: template?.header?.url ?? '',
  body: template?.body ?? '',
  footer: template?.footer ?? '',
  buttons: (template?.buttons ?? []).map((button, key) => ({ ...button, key })),
});

export const newButton = (buttons: readonly DraftButton[]): DraftButton => ({
  key: Math.max(0, ...buttons.map(({ key }) => key + 1)),
  type: 'quick_reply',
  text: '',
  url: null,
  phoneNumber: null,
});

function headerOf({ headerType: type, headerText, headerUrl }: Draft): Header | null {
  if (type === 'none') return null;
  const hasFile = type !== 'text' && type !== 'location';
  return {
    type,
    text: type === 'text' ? headerText.trim() || null : null,
    url: hasFile ? headerUrl.trim() || null : null,
  };
}

/** Only what belongs to the type of the button: others are left over from a type that was chosen before. */
function buttonOf({ key: _, ...button }: DraftButton): TemplateButton {
  const { type, url, phoneNumber, code, ...rest } = button;
  return {
    ...rest,
    type,
    url: type === 'url' ? url : null,
    phoneNumber: type === 'phone_number' ? phoneNumber : null,
    ...(type === 'copy_code' && code ? { code } : {}),
  };
}

/** How a draft would look. */
export const contentOf = (draft: Draft, stored: MessageTemplate | undefined): Content => ({
  header: headerOf(draft),
  body: draft.body,
  footer: draft.footer.trim() || null,
  buttons: draft.buttons.map(buttonOf),
  cards: stored?.cards ?? null,
  offer: stored?.offer ?? null,
});

/** What the API gets. */
export function bodyOf(draft: Draft): CreateMessageTemplateBody {
  const { channelId, name, language, category, body } = draft;
  return {
    channelId,
    name: name.trim(),
    language: language.trim(),
    category,
    header: headerOf(draft),
    // WhatsApp writes the text around a one-time password.
    ...(body.trim() === '' && draft.buttons.some(({ type }) => type === 'otp') ? {} : { body: body.trim() }),
    footer: draft.footer.trim() || null,
    buttons: draft.buttons.map(buttonOf).map(({ text, ...button }) => ({
      ...button,
      ...(text.trim() === '' ? {} : { text: text.trim() }),
    })),
  };
}

/** The variables that a preview can fill in. */
export const variablesOfContent = ({ header, body, buttons, cards }: Content): string[] =>
  variablesIn([
    header?.text ?? '',
    body,
    ...buttons.map(({ url }) => url ?? ''),
    ...(cards ?? []).map((card) => card.body ?? ''),
  ]);
