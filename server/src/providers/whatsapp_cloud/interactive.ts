import {
  type Flow,
  type InteractiveContent,
  type InteractiveKind,
  kindOfInteractive,
} from '../interactive.ts';
import type { Part } from '../meta/payload.ts';

function flowAction(flow: Flow, defaultToken: string): Part {
  const { flowId, name, button, token, mode, action = 'navigate', screen, data } = flow;
  return {
    name: 'flow',
    parameters: {
      flow_message_version: '3',
      flow_token: token ?? defaultToken,
      ...(flowId === undefined ? { flow_name: name } : { flow_id: flowId }),
      flow_cta: button,
      ...(mode === undefined ? {} : { mode }),
      flow_action: action,
      ...(screen === undefined ? {} : { flow_action_payload: { screen, ...(data ? { data } : {}) } }),
    },
  };
}

type Action = (content: InteractiveContent, messageId: string) => { type: string; action: Part };

const actions: Partial<Record<InteractiveKind, Action>> = {
  buttons: ({ buttons = [] }) => ({
    type: 'button',
    action: { buttons: buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })) },
  }),
  list: ({ list }) => ({ type: 'list', action: { button: list?.button, sections: list?.sections } }),
  link: ({ link }) => ({
    type: 'cta_url',
    action: { name: 'cta_url', parameters: { display_text: link?.title, url: link?.url } },
  }),
  flow: ({ flow }, messageId) => ({ type: 'flow', action: flowAction(flow as Flow, messageId) }),
  product: ({ product }) => ({
    type: 'product',
    action: { catalog_id: product?.catalogId, product_retailer_id: product?.productId },
  }),
  productList: ({ productList }) => ({
    type: 'product_list',
    action: {
      catalog_id: productList?.catalogId,
      sections: productList?.sections.map(({ title, productIds }) => ({
        ...(title === undefined ? {} : { title }),
        product_items: productIds.map((id) => ({ product_retailer_id: id })),
      })),
    },
  }),
  catalog: ({ catalog }) => ({
    type: 'catalog_message',
    action: {
      name: 'catalog_message',
      parameters: { thumbnail_product_retailer_id: catalog?.thumbnailProductId },
    },
  }),
  locationRequest: () => ({ type: 'location_request_message', action: { name: 'send_location' } }),
};

/**
 * The payload for Meta, of valid content. `file` is the picture, video or document above the text. The answer to a flow without a
 * token of its own has the id of the message.
 */
export function interactivePayload(
  text: string | null,
  content: InteractiveContent,
  messageId: string,
  file?: { type: string; reference: object },
): Part {
  const kind = kindOfInteractive(content);
  const action = kind && actions[kind]?.(content, messageId);
  if (!action) throw new Error('WhatsApp has no such interactive message.');
  const header = file
    ? { type: file.type, [file.type]: file.reference }
    : content.header && { type: 'text', text: content.header.text };
  return {
    type: action.type,
    ...(header ? { header } : {}),
    ...(text === null ? {} : { body: { text } }),
    ...(content.footer === undefined ? {} : { footer: { text: content.footer } }),
    action: action.action,
  };
}
