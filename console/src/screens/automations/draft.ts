import type { Automation } from '@parley/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import { useWorkspace } from '../../api/session.tsx';
import type { FlowDefinition } from '../../flow/definition.ts';
import { type Changes, type Draft, definitionOf } from './data.ts';
import { isSameDefinition } from './diff.ts';
import { type History, pushChange, redoChange, startHistory, undoChange } from './history.ts';
import { isFlowDefinition } from './json.ts';

interface StoredDraft extends Changes {
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
      typeof stored?.baseId === 'string' &&
      ['string', 'undefined'].includes(typeof stored.name) &&
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

/** What is saved: the name only if somebody has changed it here. */
const changesOf = (draft: Draft, isRenamed: boolean): Changes =>
  isRenamed ? draft : { definition: draft.definition };

/** Another name for what had the old one, also for what can be undone. */
function renameAll({ past, present, future, ...rest }: History<Draft>, from: string, to: string) {
  const rename = (draft: Draft): Draft => (draft.name === from ? { ...draft, name: to } : draft);
  return { ...rest, past: past.map(rename), present: rename(present), future: future.map(rename) };
}

interface State {
  history: History<Draft>;
  /** What was saved last, and on which the draft is based. */
  saved: Draft;
  baseId: string;
  /** Since when the API has it. */
  savedAt: string;
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
      history: startHistory<Draft>({
        name: stored?.name ?? saved.name,
        definition: stored?.definition ?? saved.definition,
      }),
      saved,
      baseId: stored?.baseId ?? automation.latestVersionId,
      savedAt: automation.updatedAt,
      isRestored: stored !== undefined,
    };
  };
  const [{ history, saved, baseId, savedAt, isRestored }, setState] = useState(begin);
  /** Something is typed that is no part of the draft yet, such as half of a JSON text. */
  const [isUnfinished, setIsUnfinished] = useState(false);
  const { present: draft } = history;
  const isRenamed = draft.name !== saved.name;
  const isDirty = isRenamed || !isSameDefinition(draft.definition, saved.definition);

  useEffect(() => {
    if (storeDraft(key, isDirty ? { ...changesOf(draft, isRenamed), baseId } : undefined) || !isDirty) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [key, draft, baseId, isDirty, isRenamed]);

  /** Begins again with what the API has. It can be undone. */
  const takeSaved = (stored: Automation): void =>
    setState((state) => ({
      history: pushChange(state.history, draftOf(stored), '', Date.now()),
      saved: draftOf(stored),
      baseId: stored.latestVersionId,
      savedAt: stored.updatedAt,
      isRestored: false,
    }));
  // A colleague has saved, and nothing here would be lost. A name that nobody changes here is always theirs.
  const follow = useEffectEvent(() => {
    const { name, updatedAt, latestVersionId } = automation;
    if (!isDirty && latestVersionId !== baseId) takeSaved(automation);
    else
      setState((state) => ({
        ...state,
        history: renameAll(state.history, state.saved.name, name),
        saved: { ...state.saved, name },
        savedAt: updatedAt,
      }));
  });
  const isBehind = automation.updatedAt > savedAt;
  useEffect(() => {
    if (isBehind) follow();
  }, [isBehind]);

  const update = (change: (history: History<Draft>) => History<Draft>): void =>
    setState((state) => ({ ...state, history: change(state.history) }));
  return {
    draft,
    changes: changesOf(draft, isRenamed),
    isDirty,
    isUnfinished,
    setIsUnfinished,
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
        savedAt: stored.updatedAt,
        isRestored: false,
      })),
    takeSaved,
  };
}
export type DraftState = ReturnType<typeof useDraft>;
