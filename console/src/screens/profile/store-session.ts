import type { Session } from '@parley/sdk';
import { queryClient } from '../../api/api.ts';
import { SESSION_KEY } from '../../api/session.tsx';

/** What an operation about the own account has answered. */
export function storeSession(session: Session): void {
  queryClient.setQueryData(SESSION_KEY, session);
}
