/** Separates the first item of each key from the others. Both keep their order. */
export function firstOfEach<T>(
  items: readonly T[],
  keyOf: (item: T) => unknown,
): { first: T[]; others: T[] } {
  const seen = new Set<unknown>();
  const first: T[] = [];
  const others: T[] = [];
  for (const item of items) {
    const key = keyOf(item);
    (seen.has(key) ? others : first).push(item);
    seen.add(key);
  }
  return { first, others };
}
