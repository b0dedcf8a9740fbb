/** The one of `known` with the smallest edit distance, ignoring case. */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  // The time is proportional to the product of the lengths. No field name is longer than this.
  const given = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(given, candidate.slice(0, 64).toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Counts insertions, deletions, replacements, and swaps of neighbours, which are the most common typing errors. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(
        getCell(last, j) + 1,
        getCell(row, j - 1) + 1,
        getCell(last, j - 1) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, getCell(beforeLast, j - 2) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return getCell(last, b.length);
}

const getCell = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;

/** The message for a key that is not one of the known ones. */
export function unknownKey(name: string, known: Iterable<string>): string {
  const nearest = findNearest(name, known);
  return nearest === undefined ? 'Not a known key' : `Not a known key; did you mean "${nearest}"?`;
}
