import { useRouterState } from '@tanstack/react-router';
import { useWorkspace } from '../api/session.tsx';
import { maySee } from './may-see.ts';
import { addressOf, type Screen, screens } from './screens.ts';

/** The screens that a person may open. */
export function useScreens(): readonly Screen[] {
  const { session, membership } = useWorkspace();
  return screens.filter((screen) => maySee(screen, session, membership));
}

/** The screen that is shown, if it is one of the table. */
export function useCurrentScreen(): Screen | undefined {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return useScreens().find((screen) => {
    const address = addressOf(screen);
    return pathname === address || pathname.startsWith(`${address}/`);
  });
}
