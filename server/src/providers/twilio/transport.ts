/** Twilio writes addresses on other networks than SMS as `whatsapp:+15550001111` or `rcs:+15550001111`. */
const TRANSPORT = /^(whatsapp|rcs|messenger):(.+)$/s;

/** The network of an address and the address without it; the network is null for SMS. */
export function splitAddress(address: string): { transport: string | null; value: string } {
  const [, transport, value] = TRANSPORT.exec(address) ?? [];
  return transport === undefined
    ? { transport: null, value: address }
    : { transport, value: value as string };
}

/** The recipient on the network of the sender. */
export function recipientFor(number: string, from: string | undefined): string {
  const { transport } = splitAddress(from ?? '');
  return transport === null ? number : `${transport}:${number}`;
}
