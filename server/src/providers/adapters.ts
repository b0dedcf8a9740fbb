import type { Adapter } from './adapter.ts';
import { hideSecrets } from './hide-secrets.ts';
import { instagram } from './instagram/instagram.ts';
import { sandbox } from './sandbox/sandbox.ts';
import { smtp } from './smtp/smtp.ts';
import { twilio } from './twilio/twilio.ts';
import { whatsappCloud } from './whatsapp_cloud/whatsapp-cloud.ts';

/** Adapters by the name of their provider. */
export type Adapters = ReadonlyMap<string, Adapter>;

/** The adapters of all vendors, whose answers show no secret. */
export const adapters: Adapters = new Map(
  [sandbox, whatsappCloud, instagram, twilio, smtp].map((adapter) => [
    adapter.provider,
    hideSecrets(adapter),
  ]),
);
