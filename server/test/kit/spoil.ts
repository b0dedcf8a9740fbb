/** Sets one value in a list, however deep. */
export function spoil(list: unknown[], where: number, value: unknown): unknown[] {
  const places: [owner: Record<string, unknown>, key: string][] = [];
  JSON.stringify(list, function (this: Record<string, unknown>, key, inner) {
    if (key !== '') places.push([this, key]);
    return inner;
  });
  const place = places[where % places.length];
  if (place) place[0][place[1]] = value;
  return list;
}
