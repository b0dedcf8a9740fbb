import { describe, expect, it } from 'vitest';
import {
  type DraftHistory,
  draftOf,
  followSaved,
  isOlder,
  noteSaved,
} from '../../../../console/src/screens/automations/draft-history.ts';
import { pushChange, startHistory, undoChange } from '../../../../console/src/screens/automations/history.ts';

type Automation = Parameters<typeof noteSaved>[1];

/** An automation as the API has it, at a second of a minute. */
const stored = (name: string, version: number, second: number): Automation => {
  const text = `version ${version}`;
  const latestVersion = {
    purpose: 'service',
    trigger: { type: 'chat_opened', parameters: {} },
    variables: [],
    steps: [{ id: 'a', type: 'send_message', parameters: { text } }],
  };
  const updatedAt = `2026-01-01T00:00:0${second}.000Z`;
  return { name, latestVersion, latestVersionId: text, updatedAt } as unknown as Automation;
};
const begin = (automation: Automation): DraftHistory => ({
  history: startHistory(draftOf(automation)),
  saved: draftOf(automation),
  baseId: automation.latestVersionId,
  savedAt: automation.updatedAt,
  isRestored: false,
});
const edit = (state: DraftHistory, part: object): DraftHistory => ({
  ...state,
  history: pushChange(state.history, { ...state.history.present, ...part }, '', 0),
});
const undo = (state: DraftHistory): DraftHistory => ({ ...state, history: undoChange(state.history) });

describe('a draft after saving', () => {
  it('has the name that a colleague gave meanwhile', () => {
    const state = edit(begin(stored('Welcome', 1, 1)), { definition: stored('', 2, 0).latestVersion });
    const saved = noteSaved(state, stored('Greeting', 2, 2));
    expect(saved.history.present.name).toBe('Greeting');
    expect(saved.history.past.map(({ name }) => name)).toEqual(['Greeting']);
    expect(saved.saved.name).toBe('Greeting');
  });

  it('keeps the own name, and undo brings back the one before', () => {
    const saved = noteSaved(edit(begin(stored('Welcome', 1, 1)), { name: 'Hello' }), stored('Hello', 1, 2));
    expect(saved.history.present.name).toBe('Hello');
    expect(undo(saved).history.present.name).toBe('Welcome');
  });
});

describe('a draft while a colleague saves', () => {
  it('stays as it is while it has changes, and shows theirs once those are undone', () => {
    const theirs = stored('Welcome', 2, 2);
    const own = draftOf(stored('Welcome', 3, 0));
    const edited = edit(begin(stored('Welcome', 1, 1)), own);
    expect(isOlder({ ...edited, isDirty: true }, theirs)).toBe(true);
    const heard = followSaved(edited, theirs, true);
    expect(heard.history.present).toEqual(own);
    expect(isOlder({ ...heard, isDirty: true }, theirs)).toBe(false);
    const undone = undo(heard);
    expect(isOlder({ ...undone, isDirty: false }, theirs)).toBe(true);
    const shown = followSaved(undone, theirs, false);
    expect(shown.history.present).toEqual(draftOf(theirs));
    expect(isOlder({ ...shown, isDirty: false }, theirs)).toBe(false);
    // Nothing is lost by it.
    expect(undo(shown).history.present).toEqual(own);
  });

  it('does not take an answer from before what was saved here', () => {
    const state = noteSaved(begin(stored('Welcome', 1, 1)), stored('Welcome', 2, 2));
    expect(isOlder({ ...state, isDirty: false }, stored('Welcome', 1, 1))).toBe(false);
  });
});
