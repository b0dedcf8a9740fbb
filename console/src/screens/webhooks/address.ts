import { useNavigate, useSearch } from '@tanstack/react-router';

interface Part {
  tab?: string | undefined;
  filter?: string | undefined;
  delivery?: string | undefined;
}

interface Address {
  tab: string | undefined;
  filter: string;
  delivery: string | undefined;
  /** What is left out is removed from the address. */
  go(next: Part): void;
}

/** What the address says besides the webhook: a reload and Back keep it. */
export function useAddress(path: string): Address {
  const navigate = useNavigate();
  const { tab, filter, delivery } = useSearch({ strict: false }) as Record<string, unknown>;
  const text = (value: unknown): string | undefined =>
    value === undefined || value === '' ? undefined : String(value);
  return {
    tab: text(tab),
    filter: text(filter) ?? '',
    delivery: text(delivery),
    go: (next) =>
      void navigate({
        to: path,
        search: {
          tab: text(next.tab ?? tab),
          filter: text(next.filter),
          delivery: text(next.delivery),
        } as never,
      }),
  };
}
