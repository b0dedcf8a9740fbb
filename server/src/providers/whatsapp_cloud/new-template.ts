import type { AdapterChannel } from '../adapter-channel.ts';
import { callOrThrow, download, FILE_DEADLINE_MS, filenameIn, type Graph } from '../meta/graph.ts';
import { idOf, type Part } from '../meta/payload.ts';
import { fill, fillWith } from '../placeholders.ts';
import { VendorFailure } from '../vendor-failure.ts';
import type { NewVendorTemplate, VendorTemplateCard } from '../vendor-template.ts';
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
  if (header.type === 'location') return [{ type: 'HEADER', format: 'LOCATION' }];
  if (header.type === 'text') {
    const text = header.text ?? '';
    return [{ type: 'HEADER', format: 'TEXT', text, ...exampleOf('header', text, examples) }];
  }
  return [await fileHeader(header, channel, graph)];
}

async function fileHeader(
  { type, url }: { type: string; url: string | null },
  channel: AdapterChannel,
  graph: Graph,
): Promise<Part> {
  if (url === null)
    throw new VendorFailure(
      'header_file_missing',
      `Meta reviews the file of a ${type} header: set header.url.`,
    );
  const handle = await uploadFile(url, channel, graph);
  return { type: 'HEADER', format: type.toUpperCase(), example: { header_handle: [handle] } };
}

type Button = NewVendorTemplate['buttons'][number];

function otpButton({ text, otp }: Button): Part {
  const { type = 'copy_code', autofillText, apps } = otp ?? {};
  return {
    type: 'OTP',
    otp_type: type.toUpperCase(),
    text,
    ...(autofillText === undefined ? {} : { autofill_text: autofillText }),
    // Zero-tap needs that the business accepts Meta's terms, which it does by asking for it.
    ...(type === 'zero_tap' ? { zero_tap_terms_accepted: true } : {}),
    ...(apps === undefined
      ? {}
      : {
          supported_apps: apps.map(({ packageName, signatureHash }) => ({
            package_name: packageName,
            signature_hash: signatureHash,
          })),
        }),
  };
}

function flowButton({ text, flow }: Button): Part {
  const { flowId, action, screen } = flow ?? { flowId: '' };
  return {
    type: 'FLOW',
    text,
    flow_id: flowId,
    ...(action === undefined ? {} : { flow_action: action }),
    ...(screen === undefined ? {} : { navigate_screen: screen }),
  };
}

/** The variable of a URL is numbered; its example is the whole URL. */
function buttonOf(button: Button, examples: Examples): Part {
  const { type, text, url, phoneNumber, code } = button;
  if (type === 'otp') return otpButton(button);
  if (type === 'flow') return flowButton(button);
  if (type === 'copy_code') return { type: 'COPY_CODE', example: code };
  const common = { type: type.toUpperCase(), text };
  if (type === 'phone_number') return { ...common, phone_number: phoneNumber };
  if (type !== 'url' || url === null) return common;
  if (variablesIn(url).length === 0) return { ...common, url };
  const example = [fillWith(url, (name) => examples[name] ?? name)];
  return { ...common, url: fill(url, '{{1}}'), example };
}

const buttonsOf = (buttons: Button[], examples: Examples): Part[] =>
  buttons.length === 0
    ? []
    : [{ type: 'BUTTONS', buttons: buttons.map((button) => buttonOf(button, examples)) }];

async function cardOf(
  { header, body, buttons }: VendorTemplateCard,
  channel: AdapterChannel,
  graph: Graph,
): Promise<Part> {
  return {
    components: [
      await fileHeader(header, channel, graph),
      ...(body === null ? [] : [{ type: 'BODY', text: body, ...exampleOf('body', body, {}) }]),
      ...buttonsOf(buttons, {}),
    ],
  };
}

async function carouselOf(
  { cards }: NewVendorTemplate,
  channel: AdapterChannel,
  graph: Graph,
): Promise<Part[]> {
  if (!cards) return [];
  const made: Part[] = [];
  for (const card of cards) made.push(await cardOf(card, channel, graph));
  return [{ type: 'CAROUSEL', cards: made }];
}

/** Meta writes the texts of a one-time password. */
function otpComponents({ authentication, buttons, examples }: NewVendorTemplate): Part[] {
  const { hasSecurityRecommendation = false, codeExpirationMinutes = null } = authentication ?? {};
  return [
    { type: 'BODY', ...(hasSecurityRecommendation ? { add_security_recommendation: true } : {}) },
    ...(codeExpirationMinutes === null
      ? []
      : [{ type: 'FOOTER', code_expiration_minutes: codeExpirationMinutes }]),
    ...buttonsOf(buttons, examples),
  ];
}

async function componentsOf(
  template: NewVendorTemplate,
  channel: AdapterChannel,
  graph: Graph,
): Promise<Part[]> {
  const { body, footer, buttons, offer, examples } = template;
  if (buttons.some(({ type }) => type === 'otp')) return otpComponents(template);
  return [
    ...(await headerOf(template, channel, graph)),
    ...(offer
      ? [
          {
            type: 'LIMITED_TIME_OFFER',
            limited_time_offer: { text: offer.text, has_expiration: offer.hasExpiration },
          },
        ]
      : []),
    { type: 'BODY', text: body, ...exampleOf('body', body, examples) },
    ...(footer === null ? [] : [{ type: 'FOOTER', text: footer }]),
    ...buttonsOf(buttons, examples),
    ...(await carouselOf(template, channel, graph)),
  ];
}

/** The payload of a new template. Uploads the files of its headers first, if it has some. */
export async function newTemplatePayload(
  template: NewVendorTemplate,
  channel: AdapterChannel,
  graph: Graph,
): Promise<Part> {
  const { name, language, category, header, body, cards } = template;
  const names = variablesIn(
    [header?.text ?? '', body, ...(cards ?? []).map((card) => card.body ?? '')].join(' '),
  );
  return {
    name,
    language,
    category: category.toUpperCase(),
    parameter_format: isNumbered(names) ? 'POSITIONAL' : 'NAMED',
    components: await componentsOf(template, channel, graph),
  };
}
