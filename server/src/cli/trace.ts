import { getTrace, type Trace } from '@parley/sdk';
import { ask } from './api.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  requireArgument,
  resultFlags,
  resultHelp,
} from './options.ts';
import { jsonText, plain, short } from './text.ts';

const help = `parley trace: shows what a message, event, run or delivery followed from, and what followed from it.

  parley trace 019a82a0-0000-7000-8000-0000000000f0

${resultHelp}

The argument is the id of a message, an event, a run, a delivery or a vendor's request. The token needs the scope
automations:read. Texts of messages need messages:read, and deliveries webhooks:read. Exit codes: 0 ok, 1 failed, 2 wrong usage.`;

type Node = Trace['nodes'][number];

/** `parley trace`. */
export async function trace(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags('trace', args, resultFlags);
  if (values.help) return say(help);
  const traceId = requireArgument('trace', 'The id', positionals);
  const found = await ask(readTarget(values, env), signal, (client, options) =>
    getTrace(client, { ...options, path: { traceId } }),
  );
  if (values.json) return say(jsonText(found));
  for (const line of treeLines(traceId, found)) say(line);
  if (!found.isComplete) say('More followed than is shown.');
}

/** The nodes as a tree: they come in reading order, with their depths. */
export function treeLines(askedId: string, { nodes }: Pick<Trace, 'nodes'>): string[] {
  // From the end, because a branch is the last of its parent if none of the same depth follows.
  const lines: string[] = [];
  const goesOn: boolean[] = [];
  for (const node of nodes.toReversed()) {
    const { depth } = node;
    const indent = Array.from({ length: Math.max(0, depth - 1) }, (_, level) =>
      goesOn[level + 1] ? '│  ' : '   ',
    ).join('');
    const branch = depth === 0 ? '' : goesOn[depth] ? '├─ ' : '└─ ';
    lines.push(
      `${indent}${branch}${describe(node)}${[askedId, askedId.toLowerCase()].includes(node.id) ? '  ← this' : ''}`,
    );
    goesOn.length = depth + 1;
    goesOn[depth] = true;
  }
  return lines.toReversed();
}

const describe = ({ type, summary, status, at, id, error }: Node): string =>
  [
    `${type} ${short(summary, 80)}`,
    ...(status === null ? [] : [status]),
    at,
    id,
    ...(error ? [`${error.code}: ${plain(error.message)}`] : []),
  ].join('  ');
