const MAX_EXTERNAL_ID = 60;

/** The name that programs and texts use for an attribute: "Größe (EU)" becomes `grosseEu`. It is not one of those taken. */
export function externalIdFor(name: string, taken: readonly string[]): string {
  const words = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const joined = words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : `${word[0]?.toUpperCase()}${word.slice(1).toLowerCase()}`,
    )
    .join('')
    .slice(0, MAX_EXTERNAL_ID);
  const base = /^[a-z]/i.test(joined) ? joined : `attribute${joined}`;
  let found = base;
  for (let number = 2; taken.includes(found); number += 1) found = `${base}${number}`;
  return found;
}
