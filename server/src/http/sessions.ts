import type { Principal } from './permissions.ts';

/** A person who has logged in. */
export interface Session {
  id: string;
  personId: string;
  personName: string;
  isOperator: boolean;
}

/** Finds sessions by the value of their cookie. Every method throws `unauthorized` for one that has ended. */
export interface Sessions {
  find(cookie: string): Session | Promise<Session>;
  /** The person as a caller in a tenant; without an id in the only one that the person belongs to. */
  principal(cookie: string, tenantId: string | undefined): Principal | Promise<Principal>;
  /** The same for a stream that is open already: it is no use of the session, which ends after 12 hours without one. */
  recheck(cookie: string, tenantId: string): Principal | Promise<Principal>;
  /** Forgets a session, or all sessions of a person or in a tenant, so that this process sees a change immediately. */
  forget(id: string): void;
}
