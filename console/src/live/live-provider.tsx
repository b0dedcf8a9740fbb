import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { client, queryClient, SESSION_KEY } from '../api/api.ts';
import { useWorkspace } from '../api/session.tsx';
import './deleted.ts';
import { type LiveState, startLive } from './live.ts';
import { applyPatches } from './patches.ts';

const Context = createContext<LiveState>('waiting');
export const useLiveState = (): LiveState => useContext(Context);

/** Keeps everything that was read up to date while a person works in a tenant. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const { session, membership } = useWorkspace();
  const [state, setState] = useState<LiveState>('waiting');
  const { tenantId } = membership;
  useEffect(
    () =>
      startLive({
        client,
        name: `parley.live.${session.id}.${tenantId}`,
        onEvent: (event) => applyPatches(event, queryClient),
        onGap: () => void queryClient.invalidateQueries(),
        onState: (next) => {
          setState(next);
          // The query fails with 401, or has another tenant: the shell shows the login, or what is left.
          if (next === 'ended') void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
        },
      }),
    [session.id, tenantId],
  );
  return <Context value={state}>{children}</Context>;
}
