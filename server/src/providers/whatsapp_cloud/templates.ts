import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { asVendorFailure } from '../meta/classify-error.ts';
import { call, callOrThrow, FACEBOOK_GRAPH, graphFor } from '../meta/graph.ts';
import { idOf, partOf, partsOf } from '../meta/payload.ts';
import { VendorFailure } from '../vendor-failure.ts';
import type { NewVendorTemplate, TemplateStatus, VendorTemplateList } from '../vendor-template.ts';
import { newTemplatePayload } from './new-template.ts';
import { addTemplate } from './read-template.ts';
import { templateStatusOf } from './template-status.ts';

const PAGE = 25;
/** A carousel with all its pictures has up to 40 kB. */
const MAX_PAGE_BYTES = 1024 * 1024;
/** An account has at most 6000 templates, counting all languages. */
const MAX_PAGES = 400;
const NOT_FOUND_SUBCODE = '2593002';
const FIELDS = 'id,name,language,category,status,rejected_reason,components';

const pathOf = ({ config }: AdapterChannel): string => `${config.businessAccountId}/message_templates`;

async function list(channel: AdapterChannel, context: AdapterContext): Promise<VendorTemplateList> {
  const graph = graphFor(channel.config, FACEBOOK_GRAPH, context);
  const found: VendorTemplateList = { templates: [], leftOut: [] };
  let after = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { fields: FIELDS, limit: String(PAGE), ...(after === '' ? {} : { after }) };
    const { data, paging } = await callOrThrow(graph, {
      method: 'GET',
      path: pathOf(channel),
      query,
      maxAnswerBytes: MAX_PAGE_BYTES,
    });
    for (const given of partsOf(data)) addTemplate(given, found);
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
