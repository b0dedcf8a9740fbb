import type { Adapter } from './providers/adapter.ts';
import { instagram } from './providers/instagram/instagram.ts';
import { sandbox } from './providers/sandbox/sandbox.ts';
import { smtp } from './providers/smtp/smtp.ts';
import { twilio } from './providers/twilio/twilio.ts';
import { whatsappCloud } from './providers/whatsapp_cloud/whatsapp-cloud.ts';

/** The adapters of all vendors by provider name. */
export const adapters: ReadonlyMap<string, Adapter> = new Map(
  [sandbox, whatsappCloud, instagram, twilio, smtp].map((adapter) => [adapter.provider, adapter]),
);
