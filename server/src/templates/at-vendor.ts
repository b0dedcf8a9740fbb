import type { Adapter } from '../providers/adapter.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import { VendorFailure } from '../providers/vendor-failure.ts';
import type { NewVendorTemplate, TemplateStatus } from '../providers/vendor-template.ts';
import { variablesOfTemplate } from './render.ts';
import type { TemplateRow } from './template.ts';

export type VendorTemplates = NonNullable<Adapter['templates']>;

export interface SubmittedRow extends TemplateRow {
  revision: number;
  /** The revision that the vendor has; null: none. */
  submitted: number | null;
}

/** The result of a submission. */
export interface Decision {
  /** Null: unchanged. */
  vendorId: string | null;
  status: TemplateStatus;
  reason: string | null;
}

/** An example value of a variable, for the reviewer. */
const exampleOf = (variable: string): string => (/^\d/.test(variable) ? `value${variable}` : variable);

const forVendor = (row: TemplateRow): NewVendorTemplate => ({
  name: row.name,
  language: row.language,
  category: row.category,
  header: row.header,
  body: row.body,
  footer: row.footer,
  buttons: row.buttons,
  cards: row.cards,
  offer: row.offer,
  authentication: row.authentication,
  examples: Object.fromEntries(variablesOfTemplate(row).map((name) => [name, exampleOf(name)])),
});

/** The vendor writes the body of such a template. */
const isOtp = ({ buttons }: TemplateRow): boolean => buttons.some(({ type }) => type === 'otp');

/**
 * Submits a template to the vendor. With `mayExist`, an earlier attempt may have succeeded although its answer was lost:
 * then the vendor's list is read first, because the vendor would refuse a second one.
 */
export async function submitToVendor(
  templates: VendorTemplates,
  row: SubmittedRow,
  mayExist: boolean,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<Decision> {
  const template = forVendor(row);
  if (row.vendor_id !== null) {
    if (!templates.update)
      throw new VendorFailure('unsupported', 'The vendor does not allow changes of templates');
    const { status } = await templates.update({ ...template, vendorId: row.vendor_id }, channel, context);
    return { vendorId: row.vendor_id, status, reason: null };
  }
  const known = mayExist
    ? (await templates.list(channel, context)).templates.find(
        ({ name, language, body }) =>
          name === row.name && language === row.language && (body === row.body || isOtp(row)),
      )
    : undefined;
  return known ?? { ...(await templates.create(template, channel, context)), reason: null };
}
