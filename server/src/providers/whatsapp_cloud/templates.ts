import {
  type AdapterChannel,
  type AdapterContext,
  type NewVendorTemplate,
  type TemplateStatus,
  VendorFailure,
  type VendorTemplate,
} from '../adapter.ts';
import { asVendorFailure } from '../meta/classify-error.ts';
import { call, demand, FACEBOOK_GRAPH, graphFor } from '../meta/graph.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';
import { newTemplatePayload } from './new-template.ts';
import { reasonOf, templateStatusOf } from './template-status.ts';

const PAGE = 100;
/** An account has at most 6000 templates with all their languages. */
const MOST_PAGES = 100;
const NOT_FOUND_SUBCODE = '2593002';
const FIELDS = 'id,name,language,category,status,rejected_reason,components';

const categories = ['marketing', 'utility', 'authentication'] as const;

const pathOf = ({ config }: AdapterChannel): string => `${config.businessAccountId}/message_templates`;

const headerOf = ({ format, text }: Part): VendorTemplate['header'] => ({
  type: String(format).toLowerCase(),
  text: textOf(text),
  // The example that was reviewed is no file to show: its URL ends after a while.
  url: null,
});

const buttonOf = ({ type, text, url, phone_number }: Part): VendorTemplate['buttons'][number] => ({
  type: String(type).toLowerCase(),
  text: textOf(text) ?? '',
  url: textOf(url),
  phoneNumber: textOf(phone_number),
});

const expressible: Record<string, (component: Part) => boolean> = {
  HEADER: ({ format }) => ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT'].includes(String(format)),
  BODY: ({ text }) => textOf(text) !== null,
  FOOTER: () => true,
  BUTTONS: ({ buttons }) =>
    partsOf(buttons).every(({ type }) => ['QUICK_REPLY', 'URL', 'PHONE_NUMBER'].includes(String(type))),
};

/** A template as we know them; nothing for what we have no words for, such as a carousel or a code to copy. */
function templateOf(told: Part): VendorTemplate[] {
  const components = partsOf(told.components);
  const part = (type: string): Part | undefined => components.find((component) => component.type === type);
  const status = told.status === 'FLAGGED' ? 'approved' : templateStatusOf(told.status);
  const isExpressible = components.every((component) => {
    const type = String(component.type);
    return Object.hasOwn(expressible, type) && expressible[type]?.(component);
  });
  const [header, body, footer] = [part('HEADER'), part('BODY'), part('FOOTER')];
  if (status === undefined || !isExpressible || !body) return [];
  const category = String(told.category).toLowerCase();
  return [
    {
      vendorId: idOf(told.id),
      name: textOf(told.name) ?? '',
      language: textOf(told.language) ?? '',
      category: categories.find((known) => known === category) ?? 'utility',
      status,
      reason: reasonOf(told),
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
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { fields: FIELDS, limit: String(PAGE), ...(after === '' ? {} : { after }) };
    const { data, paging } = await demand(graph, { method: 'GET', path: pathOf(channel), query });
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
  const { id, status } = await demand(graph, { method: 'POST', path: pathOf(channel), json });
  const vendorId = idOf(id);
  if (vendorId === '')
    throw new VendorFailure('unreadable_answer', 'Meta gave no id for the template.', true);
  return { vendorId, status: templateStatusOf(status) ?? 'pending' };
}

/** Whatever is changed is reviewed again. How often and in which states that may be is for Meta to say. */
async function update(
  { vendorId, ...template }: NewVendorTemplate & { vendorId: string },
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<{ status: TemplateStatus }> {
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const { category, components } = await newTemplatePayload(template, channel, graph);
  const json = { category, components };
  await demand(graph, { method: 'POST', path: encodeURIComponent(vendorId), json });
  return { status: 'pending' };
}

/** By its name alone all its languages would go, so one that Meta never gave an id to is left alone. */
async function remove(
  { vendorId, name }: { vendorId: string | null; name: string },
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<void> {
  if (vendorId === null) return;
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const query = { name, hsm_id: vendorId };
  const answer = await call(graph, { method: 'DELETE', path: pathOf(channel), query });
  if (!answer.ok && answer.issue.subcode !== NOT_FOUND_SUBCODE) throw asVendorFailure(answer.issue);
}

export const templates = { list, create, update, remove };
