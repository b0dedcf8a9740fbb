import type { SimulatedEvent } from '../../inbound-event.ts';
import type { ProviderRequest } from '../../provider-request.ts';
import { MESSAGE_ID, parseTwilio } from '../../twilio/parse.ts';
import { isSignedByTwilio, SIGNATURE_HEADER, twilioSignature } from '../../twilio/signature.ts';
import type { SandboxShape } from '../shape.ts';

/** SMS as Twilio reports them: signed forms. */
export const smsShape: SandboxShape = {
  write(event, channel, url, secret) {
    const form = formOf(event, channel.address);
    const target =
      event.kind === 'status' && event.messageId ? `${url}?${MESSAGE_ID}=${event.messageId}` : url;
    const request: ProviderRequest = {
      url: target,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        [SIGNATURE_HEADER]: twilioSignature(target, form, secret),
      },
      body: Buffer.from(form.toString()),
      receivedAt: event.occurredAt,
    };
    return request;
  },
  verifySignature: (request, _channel, secret) => isSignedByTwilio(request, secret),
  parse: parseTwilio,
};

function formOf(event: SimulatedEvent, address: string): URLSearchParams {
  const form = new URLSearchParams();
  const add = (fields: Record<string, string | null | undefined>): void => {
    for (const [name, value] of Object.entries(fields))
      if (value !== null && value !== undefined) form.set(name, value);
  };
  if (event.kind === 'status') {
    const { vendorId, status, error } = event;
    add({ MessageSid: vendorId, MessageStatus: status === 'failed' ? 'undelivered' : status, From: address });
    add({ ErrorCode: error?.code, ErrorMessage: error?.message });
    return form;
  }
  if (event.kind !== 'message') throw new Error(`SMS vendors do not report a ${event.kind}.`);
  const { vendorId, contact, text, media, content, subscription } = event;
  add({ MessageSid: vendorId, SmsStatus: 'received', From: contact.value, To: address, Body: text ?? '' });
  add({ ProfileName: contact.name, NumMedia: String(media.length) });
  for (const [number, { mimeType, ref }] of media.entries())
    add({ [`MediaUrl${number}`]: String(ref?.url), [`MediaContentType${number}`]: mimeType });
  add({ OptOutType: subscription?.toUpperCase() });
  if (event.type === 'location') {
    const { latitude, longitude, name, address: place } = content;
    add({ Latitude: String(latitude), Longitude: String(longitude) });
    add({ Label: name as string | null, Address: place as string | null });
  }
  if (event.type === 'interactive') {
    const { id, title } = content;
    add({ ButtonPayload: id as string, ButtonText: title as string | null });
  }
  return form;
}
