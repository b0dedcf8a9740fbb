import { useNavigate, useSearch } from '@tanstack/react-router';

type Texts<N extends string> = Readonly<Record<N, string>>;

/**
 * Texts in the address after `?`, which a reload and Back keep: `const [{ q }, setAddress] = useAddress('q')`. One that is
 * empty is left out.
 */
export function useAddress<N extends string>(
  ...names: readonly N[]
): [Texts<N>, (next: Partial<Texts<N>>) => void] {
  const navigate = useNavigate();
  const address = useSearch({ strict: false }) as Record<string, unknown>;
  // The address may be anything.
  const texts = Object.fromEntries(names.map((name) => [name, String(address[name] ?? '')])) as Texts<N>;
  const change = (next: Partial<Texts<N>>): void => {
    const changed = Object.fromEntries(
      Object.entries<string | undefined>(next).map(([name, text]) => [name, text || undefined]),
    );
    const search = (before: object) => ({ ...before, ...changed });
    void navigate({ to: '.', search: search as never, replace: true });
  };
  return [texts, change];
}
