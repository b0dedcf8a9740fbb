import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a cookie is called and how it is sent: `__Host-` and Secure over https, so that no other site of the domain can set it. */
export interface CookieJar {
  read(request: FastifyRequest): string | undefined;
  /** Sets the cookie for so many seconds; with 0 it is removed. */
  write(reply: FastifyReply, value: string, maxAgeSeconds: number): void;
  readonly name: string;
}

/** A cookie that only this server reads, and that browsers do not send with requests of other sites. */
export function cookieJar(baseName: string, baseUrl: () => string): CookieJar {
  const isSecure = (): boolean => baseUrl().startsWith('https:');
  const nameNow = (): string => (isSecure() ? `__Host-${baseName}` : baseName);
  return {
    get name() {
      return nameNow();
    },
    read: (request) => findCookie(request.headers.cookie, nameNow()),
    write(reply, value, maxAgeSeconds) {
      const parts = [
        `${nameNow()}=${value}`,
        'Path=/',
        'HttpOnly',
        'SameSite=Lax',
        `Max-Age=${maxAgeSeconds}`,
        ...(isSecure() ? ['Secure'] : []),
      ];
      reply.header('set-cookie', parts.join('; '));
    },
  };
}

/** The value of a cookie. Undefined for two of the same name: one of them may be planted. */
export function findCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  const prefix = `${name}=`;
  const found = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  return found.length === 1 ? (found[0] as string).slice(prefix.length) : undefined;
}
