import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type ErrorKey, errorCatalogue } from '../../src/base/errors.ts';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

const KEYS = new Set([
  'invalid_type',
  'invalid_string',
  'invalid_enum_value',
  'too_small',
  'too_big',
  'invalid_date',
  'unrecognized_keys',
  'invalid_union',
  'custom',
]);

/** Functions that take the message of an issue or parts of it, and at which places. */
const CALLS: Readonly<Record<string, readonly number[]>> = {
  addIssue: [1],
  CsvError: [0],
  createError: [0, 2],
  createErrorAt: [2, 3],
  createExpectedError: [0],
  ExpressionError: [0],
  invalid: [0],
  matching: [1],
  refuse: [0],
};
/** In other files these names mean something else. */
const FILES: Readonly<Record<string, RegExp>> = {
  addIssue: /^(providers|imports)\//,
  createError: /^search\//,
  invalid: /^contacts\/(handles|attributes)\//,
  refuse: /^outbound\/validate-url/,
};
/** Functions that return a message or a part of one. */
const RETURNS: Readonly<Record<string, RegExp>> = {
  describeExpectedValue: /^search\//,
  describeToken: /^search\//,
  messageOf: /^http\/validation/,
  validateFrequency: /^automations\//,
  validateLiquid: /^automations\//,
  validateOccurrences: /^automations\//,
  validateRule: /^automations\//,
};
/** Properties that contain one, or a part of one. */
const PROPERTIES = new Set(['named', 'rule']);

const templateText = ({ head, templateSpans }: ts.TemplateExpression): string =>
  head.text + templateSpans.map(({ literal }) => `{}${literal.text}`).join('');

const isKey = (node: ts.Node | undefined): boolean =>
  node !== undefined && ts.isStringLiteralLike(node) && KEYS.has(node.text);

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** What a function returns, without those inside of it. */
function returnsOf(fn: ts.FunctionLikeDeclaration): ts.Expression[] {
  if (!fn.body) return [];
  if (!ts.isBlock(fn.body)) return [fn.body];
  const found: ts.Expression[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    ts.forEachChild(node, look);
  };
  ts.forEachChild(fn.body, look);
  return found;
}

interface Place {
  file: string;
  expression: ts.Expression;
}

interface Found {
  /** With which the server says what is wrong with a parameter. Values are written as `{}`. */
  messages: Set<string>;
  /** What is given to issues as a message, but is not a text. */
  unknown: Set<string>;
  /** The sentences of errors, each with what the error is called. */
  details: Map<string, string>;
  /** What is given to errors as a sentence, but is not a text. */
  unknownDetails: Set<string>;
  /** Every text of the server. */
  texts: Set<string>;
}

/** Errors that the console says in its own words, whatever the server says. */
const isSaidOtherwise = (key: string): boolean => {
  const { status } = errorCatalogue[key as ErrorKey];
  return key === 'forbidden' || status === 429 || status >= 500;
};
/** What the console calls the errors of the server. */
export const shownErrors = (Object.keys(errorCatalogue) as ErrorKey[])
  .filter((key) => !isSaidOtherwise(key))
  .map((key) => errorCatalogue[key].message);

/** The expression of the sentence that follows the name of an error, with the key of the error. */
function detailOf(node: ts.Node): { key: string; expression: ts.Expression } | undefined {
  if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return undefined;
  if (node.name.getText() !== 'detail') return undefined;
  const object = node.parent;
  const created = object.parent;
  const key =
    ts.isNewExpression(created) && created.expression.getText() === 'ApiError'
      ? created.arguments?.[0]
      : object.properties.flatMap((other) =>
          ts.isPropertyAssignment(other) && other.name.getText() === 'key' ? [other.initializer] : [],
        )[0];
  if (!key || !ts.isStringLiteralLike(key) || !Object.hasOwn(errorCatalogue, key.text)) return undefined;
  return { key: key.text, expression: ts.isPropertyAssignment(node) ? node.initializer : node.name };
}

/** Looks for the messages of all issues, and the sentences of all errors, in the sources of the server. */
export function findValidationMessages(): Found {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(cli|mcp|v2)\//.test(file))
    .map((file) => ({
      file,
      source: ts.createSourceFile(
        file,
        readFileSync(join(SOURCES, file), 'utf8'),
        ts.ScriptTarget.Latest,
        true,
      ),
    }));
  const declared = new Map<string, Place[]>();
  const sinks: Place[] = [];
  const detailSinks: (Place & { key: string })[] = [];
  const texts = new Set<string>();
  const declare = (name: string, file: string, expressions: readonly ts.Expression[]): void => {
    const all = declared.get(name) ?? [];
    declared.set(name, [...all, ...expressions.map((expression) => ({ file, expression }))]);
    if (RETURNS[name]?.test(file)) sinks.push(...expressions.map((expression) => ({ file, expression })));
  };
  for (const { file, source } of files)
    walk(source, (node) => {
      if (ts.isStringLiteralLike(node)) texts.add(node.text);
      if (ts.isTemplateExpression(node)) texts.add(templateText(node));
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
        declare(
          node.name.text,
          file,
          ts.isArrowFunction(node.initializer) ? returnsOf(node.initializer) : [node.initializer],
        );
      if (ts.isFunctionDeclaration(node) && node.name) declare(node.name.text, file, returnsOf(node));
      for (const expression of sinksOf(node, file)) sinks.push({ file, expression });
      const detail = detailOf(node);
      if (detail && !isSaidOtherwise(detail.key)) detailSinks.push({ file, ...detail });
    });

  const messages = new Set<string>();
  const unknown = new Set<string>();
  for (const { file, expression } of sinks)
    for (const text of textsOf(expression, file, declared, 0))
      if (typeof text === 'string') messages.add(text);
      else unknown.add(`${file}: ${text.getText().replaceAll(/\s+/g, ' ').slice(0, 60)}`);
  const details = new Map<string, string>();
  const unknownDetails = new Set<string>();
  for (const { file, expression, key } of detailSinks)
    for (const text of textsOf(expression, file, declared, 0))
      if (typeof text === 'string') details.set(text, errorCatalogue[key as ErrorKey].message);
      else unknownDetails.add(`${file}: ${text.getText()}`);
  return { messages, unknown, details, unknownDetails, texts };
}

/** The expressions of messages that a node gives to an issue. */
function sinksOf(node: ts.Node, file: string): readonly ts.Expression[] {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const given = node.arguments ?? [];
    if (isKey(given[1])) return given.slice(2, 3);
    const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
    const name = callee.getText();
    if (!Object.hasOwn(CALLS, name) || FILES[name]?.test(file) === false) return [];
    return given.filter((_, index) => CALLS[name]?.includes(index));
  }
  if (!ts.isPropertyAssignment(node)) return [];
  const name = node.name.getText();
  const isIssue = node.parent.properties.some(
    (other) => ts.isPropertyAssignment(other) && other.name.getText() === 'key' && isKey(other.initializer),
  );
  const isPart =
    PROPERTIES.has(name) && file.startsWith('providers/') && ts.isStringLiteralLike(node.initializer);
  return (name === 'message' && isIssue) || isPart ? [node.initializer] : [];
}

const MAX_DEPTH = 4;

/** The texts that an expression can be; an expression that is not one is returned as it is. */
function textsOf(
  node: ts.Expression,
  file: string,
  declared: ReadonlyMap<string, Place[]>,
  depth: number,
): (string | ts.Expression)[] {
  const more = (other: ts.Expression) => textsOf(other, file, declared, depth);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return more(node.expression);
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) return [templateText(node)];
  if (ts.isConditionalExpression(node)) return [...more(node.whenTrue), ...more(node.whenFalse)];
  if (ts.isBinaryExpression(node) && ['??', '||'].includes(node.operatorToken.getText()))
    return [...more(node.left), ...more(node.right)];
  if (ts.isIdentifier(node) && node.text === 'undefined') return [];
  const name = ts.isIdentifier(node)
    ? node.text
    : ts.isCallExpression(node) && ts.isIdentifier(node.expression)
      ? node.expression.text
      : undefined;
  const places = declared.get(name ?? '') ?? [];
  const own = places.filter((place) => place.file === file);
  const used = own.length > 0 ? own : places;
  if (depth >= MAX_DEPTH || used.length === 0 || new Set(used.map((place) => place.file)).size > 1)
    return [node];
  return used.flatMap((place) => textsOf(place.expression, place.file, declared, depth + 1));
}
