import type { Channel } from './schema.ts';

/** The API reference's example of a channel. */
export const exampleChannel: Channel = {
  id: '019a82a0-0000-7000-8000-000000000020',
  kind: 'whatsapp',
  provider: 'sandbox',
  name: 'Support',
  address: '+15550009999',
  optOutWords: null,
  optInWords: null,
  optOutConfirmation: null,
  businessHours: null,
  quietHours: null,
  health: 'healthy',
  problem: null,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
