import type { Handle, MessageType } from './kinds.ts';
import type { VendorError } from './vendor-failure.ts';
import type { TemplateStatus, templateQualities, VendorTemplate } from './vendor-template.ts';

/** The contact as the vendor names it: by one handle, and perhaps by others. */
export interface VendorContact extends Handle {
  /** The name in the contact's profile. */
  name: string | null;
  /** Further handles of the same contact, such as a WhatsApp id beside a number. */
  others?: Handle[];
}

/** A file that came with a message: its bytes, or what the adapter needs to fetch them. */
export interface InboundMedia {
  mimeType: string | null;
  filename: string | null;
  size: number | null;
  /** By which the HTML of a mail names it, as in `cid:logo`. */
  contentId?: string;
  bytes?: Buffer;
  ref?: Record<string, unknown>;
}

interface Reported {
  occurredAt: Date;
}

/** A message of a customer (`message`), or of the business in another program such as the vendor's app (`echo`). */
export interface InboundMessage extends Reported {
  kind: 'message' | 'echo';
  /** The vendor's id of the message: requests with the same id are one message. */
  vendorId: string;
  /** The customer, also in an echo. */
  contact: VendorContact;
  type: MessageType;
  text: string | null;
  media: InboundMedia[];
  /** By type, see docs/develop/decisions.md. The message of a reaction is in `replyTo`. */
  content: Record<string, unknown>;
  /** The vendor's ids of the message that it replies to, reacts to or quotes, the most likely first. */
  replyTo?: string[];
  /** The message that it replies to, if the vendor returned our own id. */
  replyToMessageId?: string;
  /** An opt-out or opt-in. */
  subscription?: 'stop' | 'start';
  /** Sent automatically, such as an out-of-office reply: automations must not answer it. */
  isAutomatic?: boolean;
  /** Written before the channel was connected: nothing reacts to it. The status of one that the business wrote. */
  imported?: { status: VendorStatus };
  /** Another app answers the contact at the moment, so automations must not. */
  isStandby?: boolean;
}

export type VendorStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** The status of a message that we sent. */
export interface InboundStatus extends Reported {
  kind: 'status';
  vendorId: string;
  /** Our own id, if the vendor returns it: it resolves a send whose answer was lost. */
  messageId?: string;
  /**
   * The addresses that the vendor names for the recipient that it could or could not reach, in lower case. A status of somebody in
   * copy does not concern the message.
   */
  recipients?: string[];
  status: VendorStatus;
  error?: VendorError;
  /** What the vendor charges for the message, in the vendor's words. */
  pricing?: Record<string, unknown>;
}

/** The contact has read everything up to a moment. */
export interface InboundReadReceipt extends Reported {
  kind: 'read_receipt';
  contact: VendorContact;
  until: Date;
}

/** An existing message was edited or deleted by its author. */
export interface InboundMutation extends Reported {
  kind: 'mutation';
  vendorId: string;
  change: 'edit' | 'delete';
  text?: string | null;
}

/** A contact has another handle now. */
export interface InboundIdentity extends Reported {
  kind: 'identity';
  vendorId: string;
  from: Handle;
  to: Handle;
}

/** The vendor decided on a template. */
export interface InboundTemplateStatus extends Reported {
  kind: 'template_status';
  vendorId: string;
  name: string;
  language: string;
  status: TemplateStatus;
  reason: string | null;
  category?: VendorTemplate['category'] | undefined;
}

/** A contact opted out or in at the vendor, without a message. */
export interface InboundConsent extends Reported {
  kind: 'consent';
  /** All that the vendor names of the person. */
  handles: Handle[];
  subscription: 'stop' | 'start';
  source: 'vendor' | 'complaint';
  proof: Record<string, unknown>;
}

/** What the vendor says about the whole channel. */
export interface InboundChannelHealth extends Reported {
  kind: 'channel_health';
  /** What it is about. That all is well again only concerns a problem with the same cause. */
  cause: string;
  health: 'healthy' | 'degraded' | 'failing';
  problem: string | null;
}

/** The vendor changed what it says about a template. */
export interface InboundTemplateChange extends Reported {
  kind: 'template_change';
  vendorId: string;
  name: string;
  language: string;
  category?: VendorTemplate['category'] | undefined;
  quality?: (typeof templateQualities)[number] | null | undefined;
}

/** A contact in the address book of the business. */
export interface InboundContact extends Reported {
  kind: 'contact';
  contact: VendorContact;
}

/** A part of a request that is valid, but that the channel does not want. */
interface InboundIgnored {
  kind: 'ignored';
  reason: 'history';
}

/** A part of a request that makes no sense. The other parts are applied; the request is listed as failed. */
export interface InboundInvalid {
  kind: 'invalid';
  error: string;
}

/** An event that the sandbox can simulate. */
export type SimulatedEvent =
  | InboundMessage
  | InboundStatus
  | InboundReadReceipt
  | InboundMutation
  | InboundIdentity
  | InboundConsent
  | InboundTemplateStatus;

/** An event of a vendor in Parley's own terms. */
export type InboundEvent =
  | SimulatedEvent
  | InboundChannelHealth
  | InboundTemplateChange
  | InboundContact
  | InboundIgnored
  | InboundInvalid;
