export const templateStatuses = ['pending', 'approved', 'rejected', 'paused', 'disabled'] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

export const templateQualities = ['green', 'yellow', 'red'] as const;

/** A button of a template. What is optional belongs to one type. */
export interface VendorTemplateButton {
  type: string;
  text: string;
  url: string | null;
  phoneNumber: string | null;
  /** Of `copy_code`: an example of the code. */
  code?: string;
  /** Of `otp`: how the one-time password gets into the app. */
  otp?: {
    type: 'copy_code' | 'one_tap' | 'zero_tap';
    autofillText?: string;
    apps?: { packageName: string; signatureHash: string }[];
  };
  /** Of `flow`. */
  flow?: { flowId: string; action?: 'navigate' | 'data_exchange'; screen?: string };
}

/** A card of a carousel. Its variables are its own. */
export interface VendorTemplateCard {
  header: { type: 'image' | 'video'; url: string | null };
  body: string | null;
  buttons: VendorTemplateButton[];
}

/** What only some templates of WhatsApp have. */
interface SpecialTemplateParts {
  cards?: VendorTemplateCard[] | null;
  /** An offer, with a countdown if it ends. */
  offer?: { text: string; hasExpiration: boolean } | null;
  /** The texts that WhatsApp writes around a one-time password. */
  authentication?: { hasSecurityRecommendation: boolean; codeExpirationMinutes: number | null } | null;
}

/** A template with the values of its variables. */
export interface OutgoingTemplate extends SpecialTemplateParts {
  name: string;
  language: string;
  vendorId: string | null;
  header: { type: string; text: string | null; url: string | null } | null;
  body: string;
  footer: string | null;
  buttons: VendorTemplateButton[];
  /** A value for each variable of its texts. */
  variables: Record<string, string>;
}

/** A template at the vendor. */
export interface VendorTemplate extends SpecialTemplateParts {
  vendorId: string;
  name: string;
  language: string;
  category: 'marketing' | 'utility' | 'authentication';
  status: TemplateStatus;
  reason: string | null;
  header: OutgoingTemplate['header'];
  body: string;
  footer: string | null;
  buttons: OutgoingTemplate['buttons'];
}

/** The templates at a vendor, and those that have something that we do not support. */
export interface VendorTemplateList {
  templates: VendorTemplate[];
  leftOut: { name: string; language: string; reason: string }[];
}

export type NewVendorTemplate = Omit<VendorTemplate, 'vendorId' | 'status' | 'reason'> & {
  /** An example value for each variable, for the reviewers. */
  examples: Record<string, string>;
};

export interface TemplateDecision {
  /** How long the review takes. */
  afterMs: number;
  status: TemplateStatus;
  reason: string | null;
}
