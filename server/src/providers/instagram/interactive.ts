import type { Card, InteractiveContent } from '../interactive.ts';
import type { Part } from '../meta/payload.ts';

const template = (payload: Part): Part => ({ attachment: { type: 'template', payload } });

const elementOf = ({ title, subtitle, imageUrl, url, buttons }: Card): Part => ({
  title,
  ...(subtitle === undefined ? {} : { subtitle }),
  ...(imageUrl === undefined ? {} : { image_url: imageUrl }),
  ...(url === undefined ? {} : { default_action: { type: 'web_url', url } }),
  ...(buttons === undefined
    ? {}
    : {
        buttons: buttons.map((button) =>
          button.url === undefined
            ? { type: 'postback', title: button.title, payload: button.id }
            : { type: 'web_url', title: button.title, url: button.url },
        ),
      }),
});

/** The message for Meta, of valid content: quick replies, a template with one button, or a generic template. */
export function interactiveMessage(text: string | null, { buttons, link, cards }: InteractiveContent): Part {
  if (cards) return template({ template_type: 'generic', elements: cards.map(elementOf) });
  if (link) {
    const button = { type: 'web_url', title: link.title, url: link.url };
    return template({ template_type: 'button', text, buttons: [button] });
  }
  const replies = (buttons ?? []).map(({ id, title }) => ({ content_type: 'text', title, payload: id }));
  return { text, quick_replies: replies };
}
