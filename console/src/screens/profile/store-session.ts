import type { Session } from '@parley/sdk';
import { queryClient, SESSION_KEY } from '../../api/api.ts';

/** What an operation about the own account has answered. */
export function storeSession(session: Session): void {
  queryClient.setQueryData(SESSION_KEY, session);
}
