/** Which contacts: some by their ids, or all that match a filter. */
export type Selection = { ids: readonly string[] } | { query: string; total: number };

/** The ids after one was chosen or left out. Who leaves one out of all goes on with the others that were read. */
export function toggleId(
  selection: Selection | undefined,
  readIds: readonly string[],
  id: string,
): readonly string[] {
  const chosen = selection === undefined ? [] : 'ids' in selection ? selection.ids : readIds;
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
}
