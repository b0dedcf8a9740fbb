import type { ChannelKind } from '../adapter.ts';
import type { SandboxShape } from './shape.ts';
import { plainShape } from './shapes/plain.ts';

/** Whose requests those of the sandbox look like, by the kind of channel. */
export const shapes: Record<ChannelKind, SandboxShape> = {
  whatsapp: plainShape,
  instagram: plainShape,
  sms: plainShape,
  email: plainShape,
};
