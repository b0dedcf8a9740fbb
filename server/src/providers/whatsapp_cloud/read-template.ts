import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';
import type {
  VendorTemplate,
  VendorTemplateButton,
  VendorTemplateCard,
  VendorTemplateList,
} from '../vendor-template.ts';
import { reasonOf, templateStatusOf } from './template-status.ts';

const categories = ['marketing', 'utility', 'authentication'] as const;
const MAX_REASON = 200;

/** Why a template cannot be used here. */
class Unsupported extends Error {}

const quote = (value: unknown): string => String(value ?? 'none').slice(0, MAX_REASON);

/** The URL of the reviewed example expires, so it is not used as the file of the header. */
function headerOf({ format, text }: Part): VendorTemplate['header'] {
  if (!['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'].includes(String(format)))
    throw new Unsupported(`It has a header of the type ${quote(format)}.`);
  return { type: String(format).toLowerCase(), text: textOf(text), url: null };
}

/** Meta returns the button of a one-time password as a URL. */
const OTP_URL = /^https:\/\/www\.whatsapp\.com\/otp\/code\/?\?/;

type OtpType = NonNullable<VendorTemplateButton['otp']>['type'];
const otpTypeOf = (value: unknown): OtpType => {
  const type = String(value).toLowerCase();
  return type === 'one_tap' || type === 'zero_tap' ? type : 'copy_code';
};

function otpOf(button: Part): VendorTemplateButton['otp'] {
  const url = textOf(button.url);
  const given = url && URL.canParse(url) ? new URL(url).searchParams.get('otp_type') : button.otp_type;
  const type = otpTypeOf(given);
  const apps = partsOf(button.supported_apps).map(({ package_name, signature_hash }) => ({
    packageName: textOf(package_name) ?? '',
    signatureHash: textOf(signature_hash) ?? '',
  }));
  const autofillText = textOf(button.autofill_text);
  return {
    type,
    ...(type === 'copy_code' || autofillText === null ? {} : { autofillText }),
    ...(type === 'copy_code' || apps.length === 0 ? {} : { apps }),
  };
}

function flowOf({ flow_id, flow_action, navigate_screen }: Part): VendorTemplateButton['flow'] {
  const action = String(flow_action).toLowerCase();
  const screen = textOf(navigate_screen);
  return {
    flowId: idOf(flow_id),
    ...(action === 'navigate' || action === 'data_exchange' ? { action } : {}),
    ...(screen === null ? {} : { screen }),
  };
}

const plain = (type: string, text: string): VendorTemplateButton => ({
  type,
  text,
  url: null,
  phoneNumber: null,
});

/** The example is a text or a list of one. */
const codeOf = ({ example }: Part): { code?: string } => {
  const code = textOf(Array.isArray(example) ? example[0] : example);
  return code === null ? {} : { code };
};

const buttonReaders: Record<string, (button: Part, text: string) => VendorTemplateButton> = {
  QUICK_REPLY: (_, text) => plain('quick_reply', text),
  URL: (button, text) =>
    OTP_URL.test(String(button.url))
      ? {
          ...plain('otp', text || 'Copy code'),
          otp: otpOf(button) as NonNullable<VendorTemplateButton['otp']>,
        }
      : { ...plain('url', text), url: textOf(button.url) },
  PHONE_NUMBER: (button, text) => ({
    ...plain('phone_number', text),
    phoneNumber: textOf(button.phone_number),
  }),
  COPY_CODE: (button, text) => ({ ...plain('copy_code', text || 'Copy code'), ...codeOf(button) }),
  OTP: (button, text) => ({
    ...plain('otp', text || 'Copy code'),
    otp: otpOf(button) as NonNullable<VendorTemplateButton['otp']>,
  }),
  FLOW: (button, text) => ({
    ...plain('flow', text),
    flow: flowOf(button) as NonNullable<VendorTemplateButton['flow']>,
  }),
  CATALOG: (_, text) => plain('catalog', text),
};

function buttonOf(button: Part): VendorTemplateButton {
  const type = String(button.type);
  const reader = Object.hasOwn(buttonReaders, type) ? buttonReaders[type] : undefined;
  if (!reader) throw new Unsupported(`It has a button of the type ${quote(button.type)}.`);
  return reader(button, textOf(button.text) ?? '');
}

const buttonsIn = (components: Part[]): VendorTemplateButton[] =>
  partsOf(components.find(({ type }) => type === 'BUTTONS')?.buttons).map(buttonOf);

function cardOf({ components: given }: Part): VendorTemplateCard {
  const components = partsOf(given);
  const { format } = components.find(({ type }) => type === 'HEADER') ?? {};
  if (format !== 'IMAGE' && format !== 'VIDEO')
    throw new Unsupported(`It has a card with a header of the type ${quote(format)}.`);
  return {
    header: { type: format === 'IMAGE' ? 'image' : 'video', url: null },
    body: textOf(components.find(({ type }) => type === 'BODY')?.text),
    buttons: buttonsIn(components),
  };
}

const COMPONENTS = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'];

function specialParts(components: Part[]): Pick<VendorTemplate, 'cards' | 'offer'> {
  const part = (type: string): Part | undefined => components.find((component) => component.type === type);
  const carousel = part('CAROUSEL');
  const offer = part('LIMITED_TIME_OFFER');
  const { text, has_expiration } = partOf(offer?.limited_time_offer);
  if (carousel && partsOf(carousel.cards).length === 0)
    throw new Unsupported('It has a carousel without cards.');
  return {
    cards: carousel ? partsOf(carousel.cards).map(cardOf) : null,
    offer: offer ? { text: textOf(text) ?? '', hasExpiration: has_expiration === true } : null,
  };
}

const minutesOf = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);

function authenticationOf(buttons: VendorTemplateButton[], body: Part, footer: Part | undefined) {
  if (!buttons.some(({ type }) => type === 'otp')) return null;
  return {
    hasSecurityRecommendation: body.add_security_recommendation === true,
    codeExpirationMinutes: minutesOf(footer?.code_expiration_minutes),
  };
}

function templateOf(given: Part): VendorTemplate {
  const components = partsOf(given.components);
  const part = (type: string): Part | undefined => components.find((component) => component.type === type);
  const status = given.status === 'FLAGGED' ? 'approved' : templateStatusOf(given.status);
  if (status === undefined) throw new Unsupported(`It has the status ${quote(given.status)}.`);
  const unknown = components.find(({ type }) => !COMPONENTS.includes(String(type)));
  if (unknown) throw new Unsupported(`It has a part of the type ${quote(unknown.type)}.`);
  const [header, body, footer] = [part('HEADER'), part('BODY'), part('FOOTER')];
  const buttons = buttonsIn(components);
  const authentication = authenticationOf(buttons, body ?? {}, footer);
  const text = textOf(body?.text) ?? (authentication ? '*{{1}}* is your verification code.' : null);
  if (text === null) throw new Unsupported('It has no body.');
  const category = String(given.category).toLowerCase();
  return {
    vendorId: idOf(given.id),
    name: textOf(given.name) ?? '',
    language: textOf(given.language) ?? '',
    category: categories.find((known) => known === category) ?? 'utility',
    status,
    reason: reasonOf(given),
    header: header ? headerOf(header) : null,
    body: text,
    footer: textOf(footer?.text),
    buttons,
    ...specialParts(components),
    authentication,
  };
}

/** Adds a template of Meta to the list; one with parts that we do not support is left out and named. */
export function addTemplate(given: Part, list: VendorTemplateList): void {
  try {
    list.templates.push(templateOf(given));
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    const [name, language] = [textOf(given.name) ?? '', textOf(given.language) ?? ''];
    list.leftOut.push({ name, language, reason: error.message });
  }
}
