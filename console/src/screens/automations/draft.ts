import type { Automation } from '@parley/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import { useWorkspace } from '../../api/session.tsx';
import type { FlowDefinition } from '../../flow/definition.ts';
import { isSameDefinition } from './diff.ts';
import {
  type Changes,
  type Draft,
  type DraftHistory,
  draftOf,
  followSaved,
  isOlder,
  noteSaved,
  replaceBySaved,
} from './draft-history.ts';
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

/** What is saved: the name only if somebody has changed it here. */
const changesOf = (draft: Draft, isRenamed: boolean): Changes =>
  isRenamed ? draft : { definition: draft.definition };

/** What somebody edits, with undo and redo. A reload keeps it. */
export function useDraft(automation: Automation) {
  const key = useDraftKey()(automation.id);
  const begin = (): DraftHistory => {
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

  const takeSaved = (stored: Automation): void => setState((state) => replaceBySaved(state, stored));
  const isBehind = isOlder({ isDirty, savedAt, baseId }, automation);
  const follow = useEffectEvent(() => setState((state) => followSaved(state, automation, isDirty)));
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
    markSaved: (stored: Automation): void => setState((state) => noteSaved(state, stored)),
    takeSaved,
  };
}
export type DraftState = ReturnType<typeof useDraft>;
