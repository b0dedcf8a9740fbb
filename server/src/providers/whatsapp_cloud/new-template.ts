import { type AdapterChannel, type NewVendorTemplate, VendorFailure } from '../adapter.ts';
import { callOrThrow, download, FILE_DEADLINE_MS, filenameIn, type Graph } from '../meta/graph.ts';
import { idOf, type Part } from '../meta/payload.ts';
import { fill, fillWith } from '../placeholders.ts';
import { isNumbered, variablesIn } from './numbered-variables.ts';

type Examples = Record<string, string>;

/** Meta requires an example for each variable, which its reviewers see. */
function exampleOf(where: 'header' | 'body', text: string, examples: Examples): Part {
  const names = variablesIn(text);
  if (names.length === 0) return {};
  const values = names.map((name) => examples[name] ?? name);
  if (!isNumbered(names)) {
    const named = names.map((name, index) => ({ param_name: name, example: values[index] }));
    return { example: { [`${where}_text_named_params`]: named } };
  }
  return { example: { [`${where}_text`]: where === 'body' ? [values] : values } };
}

/** Uploads the file of a header; Meta returns a handle for its review. Uploads belong to an app. */
async function uploadFile(url: string, { config }: AdapterChannel, graph: Graph): Promise<string> {
  if (config.appId === undefined)
    throw new VendorFailure(
      'app_id_missing',
      'The upload of a file in a template header needs config.appId of the channel.',
    );
  const { bytes, mimeType } = await download(graph.request, url);
  const query = {
    file_name: filenameIn(url),
    file_length: String(bytes.length),
    file_type: (mimeType ?? 'application/octet-stream').split(';')[0] as string,
  };
  const session = await callOrThrow(graph, { method: 'POST', path: `${config.appId}/uploads`, query });
  const { h } = await callOrThrow(graph, {
    method: 'POST',
    path: idOf(session.id),
    headers: { authorization: `OAuth ${graph.accessToken}`, file_offset: '0' },
    body: bytes,
    deadlineMs: FILE_DEADLINE_MS,
  });
  const handle = idOf(h);
  if (handle === '')
    throw new VendorFailure('unreadable_answer', 'Meta returned no handle for the file.', true);
  return handle;
}

async function headerOf(
  { header, examples }: NewVendorTemplate,
  channel: AdapterChannel,
  graph: Graph,
): Promise<Part[]> {
  if (!header) return [];
  if (header.type === 'text') {
    const text = header.text ?? '';
    return [{ type: 'HEADER', format: 'TEXT', text, ...exampleOf('header', text, examples) }];
  }
  if (header.url === null)
    throw new VendorFailure(
      'header_file_missing',
      `Meta reviews the file of a ${header.type} header: set header.url.`,
    );
  const handle = await uploadFile(header.url, channel, graph);
  return [{ type: 'HEADER', format: header.type.toUpperCase(), example: { header_handle: [handle] } }];
}

/** The variable of a URL is numbered; its example is the whole URL. */
function buttonOf(
  { type, text, url, phoneNumber }: NewVendorTemplate['buttons'][number],
  examples: Examples,
): Part {
  const common = { type: type.toUpperCase(), text };
  if (type === 'phone_number') return { ...common, phone_number: phoneNumber };
  if (type !== 'url' || url === null) return common;
  if (variablesIn(url).length === 0) return { ...common, url };
  const example = [fillWith(url, (name) => examples[name] ?? name)];
  return { ...common, url: fill(url, '{{1}}'), example };
}

/** The payload of a new template. Uploads the file of its header first, if it has one. */
export async function newTemplatePayload(
  template: NewVendorTemplate,
  channel: AdapterChannel,
  graph: Graph,
): Promise<Part> {
  const { name, language, category, header, body, footer, buttons, examples } = template;
  const names = variablesIn(`${header?.text ?? ''} ${body}`);
  return {
    name,
    language,
    category: category.toUpperCase(),
    parameter_format: isNumbered(names) ? 'POSITIONAL' : 'NAMED',
    components: [
      ...(await headerOf(template, channel, graph)),
      { type: 'BODY', text: body, ...exampleOf('body', body, examples) },
      ...(footer === null ? [] : [{ type: 'FOOTER', text: footer }]),
      ...(buttons.length === 0
        ? []
        : [{ type: 'BUTTONS', buttons: buttons.map((button) => buttonOf(button, examples)) }]),
    ],
  };
}
