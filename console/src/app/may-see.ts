import type { Membership, Session } from '@parley/sdk';
import { mayUse, type Scope } from '../api/session.tsx';

/** Whether somebody may open a screen or a page. */
export const maySee = (
  { scope, isForOperators }: { scope?: Scope; isForOperators?: boolean },
  { person }: Session,
  membership: Membership,
): boolean => (isForOperators !== true || person.isOperator) && mayUse(membership, scope);
