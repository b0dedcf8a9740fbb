const KEY = 'parley.next';

/** Where to go after the identity provider has sent the browser back. */
export function rememberNext(next: string | undefined): void {
  try {
    sessionStorage.setItem(KEY, next ?? '');
  } catch {
    // Without storage the person starts at the first screen.
  }
}

export function takeNext(): string | undefined {
  try {
    const next = sessionStorage.getItem(KEY) ?? undefined;
    sessionStorage.removeItem(KEY);
    return next;
  } catch {
    return undefined;
  }
}
