import type { Trace } from '@parley/sdk';

export type TraceNode = Trace['nodes'][number];

export interface TraceRow {
  node: TraceNode;
  /** What it followed from; undefined for the first. */
  cause: TraceNode | undefined;
  /** Milliseconds since its cause; undefined for the first. */
  sinceCause: number | undefined;
  hasChildren: boolean;
  /** Its place among those with the same cause, from 1. */
  position: number;
  siblings: number;
}

/** The rows of a tree that are not inside a closed one, in reading order. */
export function visibleRows({ nodes }: Pick<Trace, 'nodes'>, closed: ReadonlySet<string>): TraceRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const children = new Map<string | null, TraceNode[]>();
  for (const node of nodes) children.set(node.causedBy, [...(children.get(node.causedBy) ?? []), node]);
  const hidden = new Set<string>();
  const rows: TraceRow[] = [];
  // A cause stands before what followed from it.
  for (const node of nodes) {
    const { id, causedBy, at } = node;
    if (causedBy !== null && (closed.has(causedBy) || hidden.has(causedBy))) {
      hidden.add(id);
      continue;
    }
    const cause = causedBy === null ? undefined : byId.get(causedBy);
    const alike = children.get(causedBy) ?? [];
    rows.push({
      node,
      cause,
      // Clocks of several processes differ a little.
      sinceCause: cause && Math.max(0, Date.parse(at) - Date.parse(cause.at)),
      hasChildren: children.has(id),
      position: alike.indexOf(node) + 1,
      siblings: alike.length,
    });
  }
  return rows;
}

/** Whether a node is the one that was asked for: ids of ours may be written in capital letters. */
export const isAsked = ({ id }: Pick<TraceNode, 'id'>, asked: string): boolean =>
  id === asked || id === asked.toLowerCase();

/** What a key does in a tree: another row, or opening and closing this one. */
export function keyInTree(
  key: string,
  rows: readonly TraceRow[],
  index: number,
  closed: ReadonlySet<string>,
): { focus: number } | { toggle: string } | undefined {
  const row = rows[index];
  if (!row) return undefined;
  const { id, causedBy } = row.node;
  const isOpen = row.hasChildren && !closed.has(id);
  switch (key) {
    case 'ArrowDown':
      return { focus: Math.min(rows.length - 1, index + 1) };
    case 'ArrowUp':
      return { focus: Math.max(0, index - 1) };
    case 'Home':
      return { focus: 0 };
    case 'End':
      return { focus: rows.length - 1 };
    case 'ArrowRight':
      if (!row.hasChildren) return undefined;
      return isOpen ? { focus: index + 1 } : { toggle: id };
    case 'ArrowLeft': {
      if (isOpen) return { toggle: id };
      const cause = rows.findIndex(({ node }) => node.id === causedBy);
      return cause < 0 ? undefined : { focus: cause };
    }
    default:
      return undefined;
  }
}
