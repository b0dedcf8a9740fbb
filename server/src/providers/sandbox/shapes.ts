import type { ChannelKind } from '../kinds.ts';
import type { SandboxShape } from './shape.ts';
import { emailShape } from './shapes/email.ts';
import { instagramShape } from './shapes/instagram.ts';
import { smsShape } from './shapes/sms.ts';
import { whatsappShape } from './shapes/whatsapp.ts';

/** The vendor that the sandbox imitates, by kind of channel. */
export const shapes: Record<ChannelKind, SandboxShape> = {
  whatsapp: whatsappShape,
  instagram: instagramShape,
  sms: smsShape,
  email: emailShape,
};
