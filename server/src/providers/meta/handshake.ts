/** Meta's first call to a callback: it shows the token that was agreed on, and wants its challenge back. */
export function handshake(query: Record<string, string>): { token: string; challenge: string } | undefined {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
  return mode === 'subscribe' && token && challenge ? { token, challenge } : undefined;
}
