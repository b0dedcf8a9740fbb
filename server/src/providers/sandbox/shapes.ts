import type { ChannelKind } from '../adapter.ts';
import type { SandboxShape } from './shape.ts';
import { emailShape } from './shapes/email.ts';
import { instagramShape } from './shapes/instagram.ts';
import { smsShape } from './shapes/sms.ts';
import { whatsappShape } from './shapes/whatsapp.ts';

/** Whose requests those of the sandbox look like, by the kind of channel. */
export const shapes: Record<ChannelKind, SandboxShape> = {
  whatsapp: whatsappShape,
  instagram: instagramShape,
  sms: smsShape,
  email: emailShape,
};
