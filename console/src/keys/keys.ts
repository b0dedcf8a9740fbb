import { createLayers, useLayer, useSnapshot } from './layers.ts';

/** A key or a sequence of keys, and what it does. */
export interface KeyBinding {
  /** `e`, `g i` (one after the other), `mod+k` (Ctrl or ⌘), `mod+shift+Enter`, `?`. */
  keys: string;
  label: string;
  run(): void;
  /** Where the list of keys shows it; on this screen when left out. */
  group?: 'general' | 'screen';
  /** Works while somebody types, too. Combinations with `mod` always do. */
  whileTyping?: boolean;
}

const SEQUENCE_MS = 1_200;

export const isApple = /mac|iphone|ipad/i.test(navigator.platform);

const bindings = createLayers<KeyBinding>();

/** The keys of a component, while it is shown. */
export const useKeys = (own: readonly KeyBinding[]): void =>
  useLayer(bindings, own, ({ keys, label }) => `${keys} ${label}`);

/** All keys that work now. */
export const useAllKeys = (): readonly KeyBinding[] => useSnapshot(bindings);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(checkbox|radio|button|submit)$/.test(target.type));

/** How a key press is written in bindings. Signs such as `?` already depend on Shift; letters and named keys do not. */
function nameOf({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): string {
  const hasMod = metaKey || ctrlKey;
  const isSign = key.length === 1 && !hasMod;
  return `${hasMod ? 'mod+' : ''}${altKey ? 'alt+' : ''}${shiftKey && !isSign ? 'shift+' : ''}${key.length === 1 ? key.toLowerCase() : key}`;
}

let pending = '';
let pendingSince = 0;

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || /^(Shift|Control|Alt|Meta)$/.test(event.key)) return;
  // A dialog has the keys of the browser.
  if (document.querySelector('dialog:modal')) return;
  const typing = isTyping(event.target);
  const now = Date.now();
  const press = nameOf(event);
  const sequence = pending !== '' && now - pendingSince < SEQUENCE_MS ? `${pending} ${press}` : press;
  const usable = bindings
    .read()
    .filter(({ keys, whileTyping }) => !typing || whileTyping === true || keys.startsWith('mod+'));
  // The newest first: a screen may use a key for itself.
  const binding = usable.findLast(({ keys }) => keys === sequence);
  const isBeginning = usable.some(({ keys }) => keys.startsWith(`${sequence} `));
  pending = isBeginning && !binding ? sequence : '';
  pendingSince = now;
  if (!binding && !isBeginning) return;
  event.preventDefault();
  binding?.run();
}
window.addEventListener('keydown', onKeyDown);
