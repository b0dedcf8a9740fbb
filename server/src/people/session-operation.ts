import type { SessionCall } from '../http/call.ts';
import type { Session } from '../http/sessions.ts';

/** What operations that log in, and those about the own account, have in common. */
const tag = 'Session';
/** Anyone may send a body without logging in: it is never large. */
export const login = { tag, access: 'login', bodyBytes: 16 * 1024 } as const;
export const own = { tag, access: 'session' } as const;
export const LIMITED = ['too_many_attempts'] as const;

/** The guard of these routes has found a session. */
export const ownCall = <P, B, Q>(call: SessionCall<P, B, Q>): SessionCall<P, B, Q> & { session: Session } =>
  call as SessionCall<P, B, Q> & { session: Session };
