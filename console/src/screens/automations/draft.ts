import type { Automation } from '@parley/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import { useWorkspace } from '../../api/session.tsx';
import type { FlowDefinition } from '../../flow/definition.ts';
import { type Draft, definitionOf } from './data.ts';
import { isSameDefinition } from './diff.ts';
import { type History, pushChange, redoChange, startHistory, undoChange } from './history.ts';
import { isFlowDefinition } from './json.ts';

interface StoredDraft extends Draft {
  /** The version on which it was begun. */
  baseId: string;
}

/** Where a browser keeps what a person has not saved. */
export function useDraftKey(): (automationId: string) => string {
  const { session, membership } = useWorkspace();
  return (automationId) => `parley.automation.${membership.tenantId}.${session.person.id}.${automationId}`;
}

/** Returns false if the browser has no room, or keeps nothing. */
export function storeDraft(key: string, draft: StoredDraft | undefined): boolean {
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft));
    else localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

function readDraft(key: string): StoredDraft | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<StoredDraft> | null;
    const isWhole =
      typeof stored?.name === 'string' &&
      typeof stored.baseId === 'string' &&
      isFlowDefinition(stored.definition);
    return isWhole ? (stored as StoredDraft) : undefined;
  } catch {
    return undefined;
  }
}

const draftOf = ({ name, latestVersion }: Automation): Draft => ({
  name,
  definition: definitionOf(latestVersion),
});

interface State {
  history: History<Draft>;
  /** What was saved last, and on which the draft is based. */
  saved: Draft;
  baseId: string;
  /** The number of the version that the API has, as far as this page knows. */
  number: number;
  /** It was found in the browser when the page was opened. */
  isRestored: boolean;
}

/** What somebody edits, with undo and redo. A reload keeps it. */
export function useDraft(automation: Automation) {
  const key = useDraftKey()(automation.id);
  const begin = (): State => {
    const saved = draftOf(automation);
    const stored = readDraft(key);
    return {
      history: startHistory<Draft>(stored ? { name: stored.name, definition: stored.definition } : saved),
      saved,
      baseId: stored?.baseId ?? automation.latestVersionId,
      number: automation.latestVersion.number,
      isRestored: stored !== undefined,
    };
  };
  const [{ history, saved, baseId, number, isRestored }, setState] = useState(begin);
  const { present: draft } = history;
  const isDirty = draft.name !== saved.name || !isSameDefinition(draft.definition, saved.definition);

  useEffect(() => {
    if (storeDraft(key, isDirty ? { ...draft, baseId } : undefined) || !isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [key, draft, baseId, isDirty]);

  /** Begins again with what the API has. It can be undone. */
  const takeSaved = (stored: Automation): void =>
    setState((state) => ({
      history: pushChange(state.history, draftOf(stored), '', Date.now()),
      saved: draftOf(stored),
      baseId: stored.latestVersionId,
      number: stored.latestVersion.number,
      isRestored: false,
    }));
  // A colleague has saved, and nothing here would be lost.
  const follow = useEffectEvent(() => takeSaved(automation));
  const isBehind = !isDirty && automation.latestVersion.number > number;
  useEffect(() => {
    if (isBehind) follow();
  }, [isBehind]);

  const update = (change: (history: History<Draft>) => History<Draft>): void =>
    setState((state) => ({ ...state, history: change(state.history) }));
  return {
    draft,
    isDirty,
    isRestored: isRestored && isDirty,
    baseId,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    change: (definition: FlowDefinition, about = ''): void =>
      update((old) => pushChange(old, { ...old.present, definition }, about, Date.now())),
    rename: (name: string): void =>
      update((old) => pushChange(old, { ...old.present, name }, 'name', Date.now())),
    undo: (): void => update(undoChange),
    redo: (): void => update(redoChange),
    /** The API has this version now. What was typed meanwhile stays. */
    markSaved: (stored: Automation): void =>
      setState((state) => ({
        ...state,
        saved: draftOf(stored),
        baseId: stored.latestVersionId,
        number: stored.latestVersion.number,
        isRestored: false,
      })),
    takeSaved,
  };
}
export type DraftState = ReturnType<typeof useDraft>;
