/** A vendor's request as it was received. Signatures are over these bytes, so they are never re-serialized. */
export interface ProviderRequest {
  /** The URL that the vendor called, with the public base URL: some vendors sign it. */
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer;
  /** When it arrived; known for every stored request. The time of events whose vendor sends none. */
  receivedAt?: Date;
}

/** When a stored request was received. */
export function receivedAtOf(request: ProviderRequest): Date {
  if (!request.receivedAt) throw new Error('The request has no receivedAt.');
  return request.receivedAt;
}
