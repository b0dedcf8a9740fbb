/**
 * Finds words that the project does not use (words.ts) in file names, identifiers, SQL, comments, strings, docs and the
 * descriptions of the API. `npm run words` checks every file under version control, `npm run words -- path…` some, and
 * `npm run words -- --root folder` those of another checkout.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type TypeScript from 'typescript';
import { type Exception, exempt, type Place, type Rule, rules } from './words.ts';

export interface Finding {
  file: string;
  line: number;
  found: string;
  instead: string;
}

/** A piece of a file. What counts as two places is two pieces. */
interface Piece {
  text: string;
  start: number;
  place: Place;
}

// By `require`: an import would first look through its nine megabytes for the names that they export, for half a second.
const ts: typeof TypeScript = createRequire(import.meta.url)('typescript');

const SCRIPT = /\.[cm]?[jt]sx?$/;
const BINARY = /\.(png|jpe?g|gif|ico|woff2?)$/;
const SQL =
  /\bselect\b[\s\S]*\bfrom\b|\binsert into\b|\bupdate \w+[\s\S]*\bset\b|\bdelete from\b|\b(create|alter|drop) (table|index|temporary)\b|\breturning \w|\bwhere\b[\s\S]*[=<>]/;
/** Statements have names such as `contacts.find_many`. */
const STATEMENT_NAME = /^['"`][a-z_0-9]+(\.[a-z_0-9]+)+['"`]$/;
const INLINE_CODE = /`([\w$.]+)(?:\(\))?`/g;
/** One word of a sentence or of a name: `byName` and `BY_NAME` are two each. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
const NAME = /[A-Za-z_$][\w$]*/g;

/** Whether a pattern is about whole names. Others are about parts of a text. */
const isWhole = (pattern: RegExp): boolean => /^\^|\$$/.test(pattern.source);

interface Match {
  rule: Rule;
  found: string;
  index: number;
}
type Matcher = (text: string, place: Place) => Match[];

/** Prepares the rules: by word where they have words, and by place where they have patterns. */
function matcherOf(list: readonly Rule[]): Matcher {
  const byWord = new Map<string, Rule[]>();
  const patterns = new Map<Place, { rule: Rule; pattern: RegExp; isWhole: boolean }[]>();
  for (const rule of list) {
    for (const word of rule.words?.split(' ') ?? []) byWord.set(word, [...(byWord.get(word) ?? []), rule]);
    const { pattern } = rule;
    if (pattern)
      for (const place of rule.where)
        patterns.set(place, [...(patterns.get(place) ?? []), { rule, pattern, isWhole: isWhole(pattern) }]);
  }
  const match: Matcher = (text, place) => {
    const matches: Match[] = [];
    for (const { 0: word, index } of text.matchAll(WORD))
      for (const rule of byWord.get(word.toLowerCase()) ?? [])
        if (rule.where.includes(place)) matches.push({ rule, found: nameAround(text, index, word), index });
    for (const { rule, pattern, isWhole } of patterns.get(place) ?? [])
      for (const { 0: found, index } of text.matchAll(isWhole ? NAME : pattern))
        if (!isWhole || pattern.test(found)) matches.push({ rule, found, index });
    return matches;
  };
  // The same name stands in many places: looking each up once takes a third of the time.
  const names = new Map<string, Match[]>();
  return (text, place) => {
    if (place !== 'identifiers') return match(text, place);
    const matches = names.get(text) ?? match(text, place);
    names.set(text, matches);
    return matches;
  };
}

/** Finds what the rules forbid in a file. */
export const checkFile = (file: string, text: string, list: readonly Rule[] = rules): Finding[] =>
  findingsIn(file, text, matcherOf(list), new Set());

function findingsIn(file: string, text: string, match: Matcher, used: Set<Exception>): Finding[] {
  const findings: Finding[] = [];
  // A name in a comment is checked as a name and as a part of the comment, SQL also as a string.
  const seen = new Map<Rule, Set<number>>();
  const lineOf = lineFinder(text);
  for (const piece of [{ text: file, start: 0, place: 'files' as const }, ...piecesOf(file, text)])
    for (const { rule, found, index } of match(piece.text, piece.place)) {
      if (rule.files && !rule.files.test(file)) continue;
      const offset = piece.place === 'files' ? -1 - index : piece.start + index;
      const before = seen.get(rule) ?? new Set();
      if (before.has(offset)) continue;
      seen.set(rule, before.add(offset));
      const at = piece.place === 'files' ? { line: 1, text: file } : lineOf(offset);
      const isExcused = ({ file: path, line }: Exception): boolean =>
        (path?.test(file) ?? true) && (line?.test(at.text) ?? true);
      const exception = rule.except?.find(isExcused);
      if (exception) used.add(exception);
      else findings.push({ file, line: at.line, found, instead: rule.instead });
    }
  return findings;
}

/** The name or word of which a part was found. */
function nameAround(text: string, index: number, word: string): string {
  const before = /[\w$]*$/.exec(text.slice(Math.max(0, index - 60), index))?.[0] ?? '';
  const after = /^[\w$]*/.exec(text.slice(index + word.length, index + word.length + 60))?.[0] ?? '';
  return before + word + after;
}

function lineFinder(text: string): (offset: number) => { line: number; text: string } {
  let starts: number[] | undefined;
  return (offset) => {
    if (!starts) {
      starts = [0];
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
    }
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, text: text.slice(starts[low], starts[low + 1] ?? text.length) };
  };
}

function piecesOf(file: string, text: string): Piece[] {
  if (SCRIPT.test(file)) return piecesOfScript(file, text);
  if (file.endsWith('.sql')) return piecesOfSql(text);
  if (/^openapi\/.*\.json$/.test(file)) return piecesOfOpenApi(text);
  return withInlineCode([{ text, start: 0, place: 'docs' }]);
}

/** Names between backticks in sentences are checked like names. */
function withInlineCode(pieces: Piece[]): Piece[] {
  const names = pieces.flatMap(({ text, start }) =>
    [...text.matchAll(INLINE_CODE)].map(
      (match): Piece => ({
        text: match[1] as string,
        start: start + match.index + 1,
        place: 'identifiers',
      }),
    ),
  );
  return [...pieces, ...names];
}

function piecesOfScript(file: string, text: string): Piece[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  const pieces: Piece[] = [];
  const literals: { start: number; end: number }[] = [];
  const visit = (node: TypeScript.Node, parent: TypeScript.Node): void => {
    const start = node.getStart(source);
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      pieces.push({ text: node.text, start, place: 'identifiers' });
      if (ts.isVariableDeclaration(parent) && parent.name === node)
        pieces.push({ text: node.text, start, place: 'variables' });
    } else if (isLiteral(node)) {
      const literal = text.slice(start, node.end);
      literals.push({ start, end: node.end });
      if (ts.isRegularExpressionLiteral(node)) return;
      pieces.push({ text: literal, start, place: 'strings' });
      if (SQL.test(literal) || STATEMENT_NAME.test(literal))
        pieces.push({ text: literal, start, place: 'sql' });
    } else ts.forEachChild(node, (child) => visit(child, node));
  };
  visit(source, source);
  return [...pieces, ...withInlineCode(commentsIn(text, literals))];
}

const isLiteral = (node: TypeScript.Node): boolean =>
  ts.isStringLiteral(node) ||
  ts.isNoSubstitutionTemplateLiteral(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddle(node) ||
  ts.isTemplateTail(node) ||
  ts.isJsxText(node) ||
  ts.isRegularExpressionLiteral(node);

/** Comments are what looks like one outside of literals. */
function commentsIn(text: string, literals: { start: number; end: number }[]): Piece[] {
  const comments: Piece[] = [];
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  let next = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const { index } = match;
    while ((literals[next]?.end ?? Number.POSITIVE_INFINITY) <= index) next += 1;
    const literal = literals[next];
    if (literal && literal.start <= index) pattern.lastIndex = literal.end;
    else comments.push({ text: match[0], start: index, place: 'comments' });
  }
  return comments;
}

function piecesOfSql(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const { 0: part, index } of text.matchAll(/--[^\n]*|\/\*[\s\S]*?\*\/|(?:(?!--|\/\*)[\s\S])+/g)) {
    const place = /^(--|\/\*)/.test(part) ? 'comments' : 'sql';
    pieces.push(...withInlineCode([{ text: part, start: index, place }]));
  }
  return pieces;
}

/** Names of fields are the public contract; sentences are ours. */
function piecesOfOpenApi(text: string): Piece[] {
  return [...text.matchAll(/"(?:summary|description|title)": ("(?:[^"\\]|\\.)*")/g)].map((match) => ({
    text: match[1] as string,
    start: match.index + match[0].length - (match[1] as string).length,
    place: 'descriptions',
  }));
}

function main(args: string[]): void {
  const { values, positionals } = parseArgs({
    args,
    options: { root: { type: 'string' } },
    allowPositionals: true,
  });
  const invokedFrom = process.env.INIT_CWD ?? process.cwd();
  const root = values.root
    ? `${resolve(invokedFrom, values.root)}/`
    : fileURLToPath(new URL('../../', import.meta.url));
  // Of another checkout, paths are those in it.
  const asked = positionals.map((path) => (values.root ? path : relative(root, resolve(invokedFrom, path))));
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...asked];
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && !BINARY.test(file) && !exempt.some((one) => one.file.test(file)));
  const match = matcherOf(rules);
  const used = new Set<Exception>();
  const findings = files.flatMap((file) => {
    try {
      return findingsIn(file, readFileSync(`${root}${file}`, 'utf8'), match, used);
    } catch (error) {
      // Deleted, and not yet committed as such.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
  for (const { file, line, found, instead } of findings)
    console.error(`${file}:${line}  ${found}  → ${instead}`);
  // Part of the files says nothing about whether an exception is needed.
  const unused =
    asked.length > 0 ? [] : rules.flatMap(({ except }) => except ?? []).filter((one) => !used.has(one));
  for (const { reason } of unused)
    console.error(`server/scripts/words.ts: an exception excuses nothing: ${reason}`);
  console.log(`${files.length} files, ${findings.length} words to replace`);
  if (findings.length + unused.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
