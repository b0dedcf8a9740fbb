/** Meta's first call to a callback URL: it carries the verify token, and expects its challenge as the answer. */
export function handshake(query: Record<string, string>): { token: string; challenge: string } | undefined {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
  return mode === 'subscribe' && token && challenge ? { token, challenge } : undefined;
}
