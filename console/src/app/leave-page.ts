/** What ends: the page, as with a reload, or also the session with all that the tab keeps of the person. */
type Ending = 'page' | 'session';

const checks = new Set<(ending: Ending) => boolean>();
/** Registers a question: is something lost that was not sent or saved? */
export const addUnsavedCheck = (isUnsaved: (ending: Ending) => boolean): void => void checks.add(isUnsaved);

const anyUnsaved = (ending: Ending): boolean => [...checks].some((isUnsaved) => isUnsaved(ending));

window.addEventListener('beforeunload', (event) => {
  if (anyUnsaved('page')) event.preventDefault();
});

/** Whether something would be lost. Screens that make the browser ask before it leaves are asked as well. */
export function wouldLose(ending: Ending): boolean {
  const asking = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(asking);
  return asking.defaultPrevented || anyUnsaved(ending);
}

/**
 * Loads another page of the console, so that nothing of this one stays in memory: no answer that comes late, no event stream. The
 * browser does not ask again what the person was asked before. Who comes back with "Back" gets a new page, too.
 */
export function leavePage(path: string): void {
  window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
  window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
  window.location.assign(path);
}
