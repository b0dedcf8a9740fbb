import type { Session } from '@parley/sdk';
import { useRouterState } from '@tanstack/react-router';
import { mayUse, useWorkspace } from '../api/session.tsx';
import { addressOf, type Screen, screens } from './screens.ts';

/** The screens that a person may open. */
export function useScreens(): readonly Screen[] {
  const { session, membership } = useWorkspace();
  return screens.filter((screen) => maySee(screen, session, membership));
}

/** Whether somebody may open a screen or a page. */
export const maySee = (
  { scope, isForOperators }: Pick<Screen, 'scope' | 'isForOperators'>,
  { person }: Session,
  membership: Parameters<typeof mayUse>[0],
): boolean => (isForOperators !== true || person.isOperator) && mayUse(membership, scope);

/** The screen that is shown, if it is one of the table. */
export function useCurrentScreen(): Screen | undefined {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return useScreens().find((screen) => {
    const address = addressOf(screen);
    return pathname === address || pathname.startsWith(`${address}/`);
  });
}
