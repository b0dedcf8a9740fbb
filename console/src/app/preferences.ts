import { useSyncExternalStore } from 'react';

/** What a browser remembers. All tabs of it share these, except the tenant, which each tab may choose for itself. */
interface Preferences {
  theme: 'system' | 'light' | 'dark';
  language: string;
  tenantId: string;
}

const keyOf = (name: keyof Preferences): string => `parley.${name}`;
const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};
window.addEventListener('storage', notify);

/** Storage may be switched off; then nothing is remembered. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function readPreference<K extends keyof Preferences>(name: K): Preferences[K] | undefined {
  const own = name === 'tenantId' ? attempt(() => sessionStorage.getItem(keyOf(name))) : undefined;
  return (own ?? attempt(() => localStorage.getItem(keyOf(name))) ?? undefined) as Preferences[K] | undefined;
}

export function writePreference<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  if (name === 'tenantId') attempt(() => sessionStorage.setItem(keyOf(name), value));
  attempt(() => localStorage.setItem(keyOf(name), value));
  notify();
}

/** Another tab may choose another tenant; this one keeps its own. */
export const keepTenantInTab = (tenantId: string): void =>
  void attempt(() => sessionStorage.setItem(keyOf('tenantId'), tenantId));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePreference = <K extends keyof Preferences>(name: K): Preferences[K] | undefined =>
  useSyncExternalStore(subscribe, () => readPreference(name));

export type Theme = Preferences['theme'];
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const applyTheme = (): void => {
  document.documentElement.dataset.theme = readPreference('theme') ?? 'system';
};
listeners.add(applyTheme);
applyTheme();
