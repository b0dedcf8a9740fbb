import { useSyncExternalStore } from 'react';

/** What a browser remembers. All tabs of it share these, except the tenant, which each tab may choose for itself. */
interface Preferences {
  theme: 'system' | 'light' | 'dark';
  language: string;
  /** Whether the device shows notifications. */
  desktop: 'on' | 'off';
  tenantId: string;
}

const keyOf = (name: keyof Preferences): string => `parley.${name}`;
const listeners = new Set<() => void>();
const notify = (): void => {
  for (const listener of listeners) listener();
};
window.addEventListener('storage', notify);

/** Storage may be switched off; then nothing is remembered. */
export function attempt<T>(work: () => T): T | undefined {
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

/** Removes what the browser keeps of a tenant, such as what was not saved. The keys of such things contain its id. */
export const forgetTenantInBrowser = (tenantId: string): void =>
  void attempt(() => {
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage))
        if (key.startsWith('parley.') && (key.includes(tenantId) || storage.getItem(key) === tenantId))
          storage.removeItem(key);
  });

/** Removes what the tab keeps of a person. */
export const forgetPersonInTab = (): void => void attempt(() => sessionStorage.clear());

const LOST_KEY = 'parley.lostTenant';
/** The name of a tenant that the person has lost, for after the page is loaded again. */
export const keepLostTenant = (name: string): void =>
  void attempt(() => sessionStorage.setItem(LOST_KEY, name));
export const takeLostTenant = (): string | undefined =>
  attempt(() => {
    const name = sessionStorage.getItem(LOST_KEY) ?? undefined;
    sessionStorage.removeItem(LOST_KEY);
    return name;
  });

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
