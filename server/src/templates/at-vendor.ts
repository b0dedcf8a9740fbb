import {
  type Adapter,
  type AdapterChannel,
  type AdapterContext,
  type NewVendorTemplate,
  type TemplateStatus,
  VendorFailure,
} from '../providers/adapter.ts';
import { variablesOfTemplate } from './render.ts';
import type { TemplateRow } from './template.ts';

export type VendorTemplates = NonNullable<Adapter['templates']>;

export interface SubmittedRow extends TemplateRow {
  revision: number;
  /** The revision that the vendor has. */
  submitted: number | null;
}

/** What came of a submission. */
export interface Decision {
  /** Null where it stays what it was. */
  vendorId: string | null;
  status: TemplateStatus;
  reason: string | null;
}

/** Something that a reviewer can read in the place of a variable. */
const exampleOf = (variable: string): string => (/^\d/.test(variable) ? `value${variable}` : variable);

const forVendor = (row: TemplateRow): NewVendorTemplate => ({
  name: row.name,
  language: row.language,
  category: row.category,
  header: row.header,
  body: row.body,
  footer: row.footer,
  buttons: row.buttons,
  examples: Object.fromEntries(variablesOfTemplate(row).map((name) => [name, exampleOf(name)])),
});

/**
 * Brings a template to the vendor as it is. With `mayBeThere`, an earlier attempt may have come through without our
 * hearing of it: then the vendor is asked first what it has, because a second one would be refused.
 */
export async function decideAtVendor(
  templates: VendorTemplates,
  row: SubmittedRow,
  mayBeThere: boolean,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<Decision> {
  const template = forVendor(row);
  if (row.vendor_id !== null) {
    if (!templates.update)
      throw new VendorFailure('unsupported', 'The vendor does not let a template be changed');
    const { status } = await templates.update({ ...template, vendorId: row.vendor_id }, channel, context);
    return { vendorId: row.vendor_id, status, reason: null };
  }
  const known = mayBeThere
    ? (await templates.list(channel, context)).find(
        ({ name, language, body }) => name === row.name && language === row.language && body === row.body,
      )
    : undefined;
  return known ?? { ...(await templates.create(template, channel, context)), reason: null };
}
