import type { Automation } from '@parley/sdk';
import type { FlowDefinition } from '../../flow/definition.ts';
import { type History, replacePresent } from './history.ts';
import { definitionOf } from './steps.ts';

export interface Draft {
  name: string;
  definition: FlowDefinition;
}
/** A draft to save. Without a name, that of the automation stays. */
export type Changes = Pick<Draft, 'definition'> & Partial<Draft>;

/** What somebody edits, and what the API has of it. */
export interface DraftHistory {
  history: History<Draft>;
  /** What was saved last, and on which the draft is based. */
  saved: Draft;
  baseId: string;
  /** Since when the API has it. */
  savedAt: string;
  /** It was found in the browser when the page was opened. */
  isRestored: boolean;
}

export const draftOf = ({ name, latestVersion }: Automation): Draft => ({
  name,
  definition: definitionOf(latestVersion),
});

/** Another name for what had the old one, also for what can be undone. */
function renameAll({ past, present, future, ...rest }: History<Draft>, from: string, to: string) {
  const rename = (draft: Draft): Draft => (draft.name === from ? { ...draft, name: to } : draft);
  return { ...rest, past: past.map(rename), present: rename(present), future: future.map(rename) };
}

/** Whether the API has something that is not shown, and could be shown. */
export const isOlder = (
  { isDirty, savedAt, baseId }: { isDirty: boolean; savedAt: string; baseId: string },
  { updatedAt, latestVersionId }: Pick<Automation, 'updatedAt' | 'latestVersionId'>,
): boolean =>
  updatedAt > savedAt ||
  // It was heard of while something was changed here, which is undone by now.
  (!isDirty && updatedAt === savedAt && latestVersionId !== baseId);

/** Begins again with what the API has. It can be undone, and what was undone is not lost by it. */
export const replaceBySaved = ({ history }: DraftHistory, stored: Automation): DraftHistory => ({
  history: replacePresent(history, draftOf(stored)),
  saved: draftOf(stored),
  baseId: stored.latestVersionId,
  savedAt: stored.updatedAt,
  isRestored: false,
});

/** A colleague has saved. If nothing here would be lost, it is shown. A name that nobody changes here is always theirs. */
export const followSaved = (state: DraftHistory, stored: Automation, isDirty: boolean): DraftHistory =>
  !isDirty && stored.latestVersionId !== state.baseId
    ? replaceBySaved(state, stored)
    : {
        ...state,
        history: renameAll(state.history, state.saved.name, stored.name),
        saved: { ...state.saved, name: stored.name },
        savedAt: stored.updatedAt,
      };

/** The API has this version now. What was typed meanwhile stays. A name that was not typed here is a colleague's. */
export function noteSaved(state: DraftHistory, stored: Automation): DraftHistory {
  const { past, present, future } = state.history;
  const isOwnName = [...past, present, ...future].some(({ name }) => name === stored.name);
  return {
    history: isOwnName ? state.history : renameAll(state.history, state.saved.name, stored.name),
    saved: draftOf(stored),
    baseId: stored.latestVersionId,
    savedAt: stored.updatedAt,
    isRestored: false,
  };
}
