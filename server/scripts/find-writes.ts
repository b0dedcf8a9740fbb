import ts from 'typescript';
import { DYNAMIC } from './writers.ts';

export interface Write {
  kind: 'insert' | 'update' | 'delete' | 'truncate';
  /** The name of a table, or `DYNAMIC`. */
  table: string;
  line: number;
}

/** A name, or an expression of a template. */
const NAME = `("?[a-z_][a-z0-9_]*"?|${DYNAMIC})`;
/** `for update`, `for no key update` and `on conflict … do update` have no table between `update` and `set`. */
const WRITES: [Write['kind'], RegExp][] = [
  ['insert', new RegExp(String.raw`\b(?:insert|merge)\s+into\s+(?:only\s+)?${NAME}`, 'gi')],
  ['delete', new RegExp(String.raw`\bdelete\s+from\s+(?:only\s+)?${NAME}`, 'gi')],
  [
    'update',
    new RegExp(
      String.raw`\bupdate\s+(?:only\s+)?(?!set\b)${NAME}(?:\s+(?:as\s+)?[a-z]\w*)??\s+(?:set\b|${DYNAMIC})`,
      'gi',
    ),
  ],
  ['truncate', new RegExp(String.raw`\btruncate\s+(?:table\s+)?(?:only\s+)?${NAME}`, 'gi')],
];

/** Finds the statements that write to tables in the string literals of a source file, also those inside of a CTE. */
export function findWrites(file: string, source: string): Write[] {
  const root = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const writes: Write[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined) writes.push(...writesIn(text, lineOf(root, node)));
    ts.forEachChild(node, visit);
  };
  visit(root);
  return writes.sort((one, other) => one.line - other.line);
}

const lineOf = (root: ts.SourceFile, node: ts.Node): number =>
  root.getLineAndCharacterOfPosition(node.getStart(root)).line + 1;

/** The text of a literal. The expressions of a template become `DYNAMIC`; literals inside of them are visited later. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => DYNAMIC + literal.text).join('');
}

function writesIn(text: string, firstLine: number): Write[] {
  return WRITES.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map((match) => ({
      kind,
      // A view without what is being deleted is written like its table.
      table: (match[1] as string)
        .replaceAll('"', '')
        .toLowerCase()
        .replace(/^visible_/, ''),
      line: firstLine + text.slice(0, match.index).split('\n').length - 1,
    })),
  );
}
