import type { Automation } from '@parley/sdk';
import type { FlowDefinition } from '../../flow/definition.ts';
import type { DraftState } from './draft.ts';

/** What every tab of an automation gets. */
export interface TabProps {
  automation: Automation;
  /** As it is edited, saved or not. */
  definition: FlowDefinition;
  draft: DraftState;
}
