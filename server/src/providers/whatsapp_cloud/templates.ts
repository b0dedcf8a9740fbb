import {
  type AdapterChannel,
  type AdapterContext,
  type NewVendorTemplate,
  type TemplateStatus,
  VendorFailure,
  type VendorTemplate,
} from '../adapter.ts';
import { asVendorFailure } from '../meta/classify-error.ts';
import { call, callOrThrow, FACEBOOK_GRAPH, graphFor } from '../meta/graph.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';
import { newTemplatePayload } from './new-template.ts';
import { reasonOf, templateStatusOf } from './template-status.ts';

const PAGE = 100;
/** An account has at most 6000 templates, counting all languages. */
const MAX_PAGES = 100;
const NOT_FOUND_SUBCODE = '2593002';
const FIELDS = 'id,name,language,category,status,rejected_reason,components';

const categories = ['marketing', 'utility', 'authentication'] as const;

const pathOf = ({ config }: AdapterChannel): string => `${config.businessAccountId}/message_templates`;

const headerOf = ({ format, text }: Part): VendorTemplate['header'] => ({
  type: String(format).toLowerCase(),
  text: textOf(text),
  // The URL of the reviewed example expires, so it is not used as the file of the header.
  url: null,
});

const buttonOf = ({ type, text, url, phone_number }: Part): VendorTemplate['buttons'][number] => ({
  type: String(type).toLowerCase(),
  text: textOf(text) ?? '',
  url: textOf(url),
  phoneNumber: textOf(phone_number),
});

const isSupported: Record<string, (component: Part) => boolean> = {
  HEADER: ({ format }) => ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT'].includes(String(format)),
  BODY: ({ text }) => textOf(text) !== null,
  FOOTER: () => true,
  BUTTONS: ({ buttons }) =>
    partsOf(buttons).every(({ type }) => ['QUICK_REPLY', 'URL', 'PHONE_NUMBER'].includes(String(type))),
};

/** A template of Meta; empty if it has parts that we do not support, such as a carousel or a code to copy. */
function templateOf(given: Part): VendorTemplate[] {
  const components = partsOf(given.components);
  const part = (type: string): Part | undefined => components.find((component) => component.type === type);
  const status = given.status === 'FLAGGED' ? 'approved' : templateStatusOf(given.status);
  const areAllSupported = components.every((component) => {
    const type = String(component.type);
    return Object.hasOwn(isSupported, type) && isSupported[type]?.(component);
  });
  const [header, body, footer] = [part('HEADER'), part('BODY'), part('FOOTER')];
  if (status === undefined || !areAllSupported || !body) return [];
  const category = String(given.category).toLowerCase();
  return [
    {
      vendorId: idOf(given.id),
      name: textOf(given.name) ?? '',
      language: textOf(given.language) ?? '',
      category: categories.find((known) => known === category) ?? 'utility',
      status,
      reason: reasonOf(given),
      header: header ? headerOf(header) : null,
      body: String(body.text),
      footer: textOf(footer?.text),
      buttons: partsOf(part('BUTTONS')?.buttons).map(buttonOf),
    },
  ];
}

async function list(channel: AdapterChannel, context: AdapterContext): Promise<VendorTemplate[]> {
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const found: VendorTemplate[] = [];
  let after = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { fields: FIELDS, limit: String(PAGE), ...(after === '' ? {} : { after }) };
    const { data, paging } = await callOrThrow(graph, { method: 'GET', path: pathOf(channel), query });
    found.push(...partsOf(data).flatMap(templateOf));
    const next = idOf(partOf(partOf(paging).cursors).after);
    if (partOf(paging).next === undefined || next === '' || next === after) break;
    after = next;
  }
  return found;
}

async function create(
  template: NewVendorTemplate,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<{ vendorId: string; status: TemplateStatus }> {
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const json = await newTemplatePayload(template, channel, graph);
  const { id, status } = await callOrThrow(graph, { method: 'POST', path: pathOf(channel), json });
  const vendorId = idOf(id);
  if (vendorId === '')
    throw new VendorFailure('unreadable_answer', 'Meta returned no id for the template.', true);
  return { vendorId, status: templateStatusOf(status) ?? 'pending' };
}

/** A changed template is reviewed again. Meta limits how often and in which statuses it may be changed. */
async function update(
  { vendorId, ...template }: NewVendorTemplate & { vendorId: string },
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<{ status: TemplateStatus }> {
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const { category, components } = await newTemplatePayload(template, channel, graph);
  const json = { category, components };
  await callOrThrow(graph, { method: 'POST', path: encodeURIComponent(vendorId), json });
  return { status: 'pending' };
}

/** Without an id Meta would delete all languages of this name, so a template without an id is not deleted. */
async function remove(
  { vendorId, name }: { vendorId: string | null; name: string },
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<void> {
  if (vendorId === null) return;
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const query = { name, hsm_id: vendorId };
  const answer = await call(graph, { method: 'DELETE', path: pathOf(channel), query });
  if (!answer.ok && answer.error.subcode !== NOT_FOUND_SUBCODE) throw asVendorFailure(answer.error);
}

export const templates = { list, create, update, remove };
