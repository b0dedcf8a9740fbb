import { createHmac, timingSafeEqual } from 'node:crypto';
import type { InboundEvent, InboundMedia, InboundMessage } from '../../adapter.ts';
import { handleTypeOf, spelled } from '../person.ts';
import type { SandboxShape } from '../shape.ts';

/** What a person wrote, as this shape writes it: a few words that a test can write by hand. */
interface PlainMessage extends Omit<Partial<InboundMessage>, 'kind' | 'vendorId' | 'peer' | 'media'> {
  id: string;
  from: string;
  name: string | null;
  at: string;
  media?: (Omit<InboundMedia, 'bytes'> & { base64?: string })[];
}

interface PlainBody {
  messages?: PlainMessage[];
  /** Everything else, as it is, with times as text. */
  others?: (Record<string, unknown> & { occurredAt: string; until?: string })[];
}

const SIGNATURE_HEADER = 'x-sandbox-signature';

const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function plainMessage(event: InboundMessage): PlainMessage {
  const { kind: _, vendorId, peer, occurredAt, media, ...rest } = event;
  return {
    ...rest,
    id: vendorId,
    from: peer.value,
    name: peer.name,
    at: occurredAt.toISOString(),
    ...(media.length === 0
      ? {}
      : {
          media: media.map(({ bytes, ...one }) => ({
            ...one,
            ...(bytes ? { base64: bytes.toString('base64') } : {}),
          })),
        }),
  };
}

/** No vendor's shape, and the same on every kind of channel. */
export const plainShape: SandboxShape = {
  write(event, _channel, url, secret) {
    const said: PlainBody =
      event.kind === 'message' ? { messages: [plainMessage(event)] } : { others: [event as never] };
    const body = Buffer.from(JSON.stringify(said));
    return { url, headers: { [SIGNATURE_HEADER]: signatureOf(body, secret) }, body };
  },
  verifySignature(request, _channel, secret) {
    const given = Buffer.from(request.headers[SIGNATURE_HEADER] ?? '');
    const expected = Buffer.from(signatureOf(request.body, secret));
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
  parse(request, { kind }) {
    const { messages = [], others = [] } = JSON.parse(request.body.toString('utf8')) as PlainBody;
    const type = handleTypeOf(kind);
    return [
      ...messages.map(
        ({ id, from, name, at, media = [], ...rest }): InboundMessage => ({
          type: 'text',
          text: null,
          content: {},
          ...rest,
          kind: 'message',
          vendorId: id,
          occurredAt: new Date(at),
          peer: { type, value: spelled(type, from), name },
          media: media.map(({ base64, ...one }) => ({
            ...one,
            ...(base64 === undefined ? {} : { bytes: Buffer.from(base64, 'base64') }),
          })),
        }),
      ),
      ...others.map(
        ({ occurredAt, until, ...rest }) =>
          ({
            ...rest,
            occurredAt: new Date(occurredAt),
            ...(until === undefined ? {} : { until: new Date(until) }),
          }) as unknown as InboundEvent,
      ),
    ];
  },
};
