import { newId } from '../../src/base/ids.ts';
import type { OutgoingMessage } from '../../src/providers/outgoing-message.ts';

/** A message as an adapter receives it. */
export const outgoing = (more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: newId(),
  to: { type: 'phone_number', value: '+15550001111' },
  type: 'text',
  text: 'Good morning',
  media: [],
  content: {},
  template: null,
  replyToVendorId: null,
  references: [],
  isAutomatic: false,
  ...more,
});
