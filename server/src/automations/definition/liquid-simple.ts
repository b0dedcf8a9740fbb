import {
  CaseTag,
  type Filter,
  IfTag,
  Output,
  type Template,
  type Token,
  TypeGuards,
  UnlessTag,
  type Value,
} from 'liquidjs';

/** The characters of all values of a simple text, each as often as it occurs. Rendering takes under 2 ms then. */
const MAX_VALUE_CHARACTERS = 64 * 1024;
const MAX_FILTERS = 10;

/**
 * Filters whose time and output are linear in their input. Not `replace`, `json` or `split`, which can multiply it, nor
 * those with regular expressions that go back.
 */
const LINEAR_FILTERS = new Set(
  `abs append at_least at_most capitalize ceil date default divided_by downcase escape first floor last minus modulo
   newline_to_br plus prepend round size strip strip_newlines times truncate truncatewords upcase url_encode`.split(
    /\s+/,
  ),
);

/** The path of a value, such as `['contact', 'firstName']`. */
export type Path = readonly string[];

/** Thrown by the analysis of a text that is not simple. */
const NOT_SIMPLE = Symbol('not simple');

function pathOf(token: Token): Path {
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) throw NOT_SIMPLE;
  return token.props.map((prop) => {
    if (TypeGuards.isWordToken(prop) || TypeGuards.isQuotedToken(prop) || TypeGuards.isNumberToken(prop))
      return String(prop.content);
    throw NOT_SIMPLE;
  });
}

function addValue(token: Token, paths: Path[]): void {
  if (TypeGuards.isNumberToken(token) || TypeGuards.isQuotedToken(token) || TypeGuards.isLiteralToken(token))
    return;
  paths.push(pathOf(token));
}

function addFilter({ name, args }: Filter, paths: Path[]): void {
  if (!LINEAR_FILTERS.has(name)) throw NOT_SIMPLE;
  for (const arg of args)
    if (Array.isArray(arg)) {
      if (arg[1]) addValue(arg[1], paths);
    } else addValue(arg, paths);
}

function addExpression({ initial, filters }: Value, paths: Path[]): void {
  for (const token of initial.postfix) if (!TypeGuards.isOperatorToken(token)) addValue(token, paths);
  if (filters.length > MAX_FILTERS) throw NOT_SIMPLE;
  for (const filter of filters) addFilter(filter, paths);
}

function addTemplates(templates: readonly Template[], paths: Path[]): void {
  for (const template of templates)
    if (TypeGuards.isHTMLToken(template.token)) continue;
    else if (template instanceof Output) addExpression(template.value, paths);
    else if (template instanceof IfTag || template instanceof UnlessTag) {
      for (const { value, templates: inner } of template.branches) {
        addExpression(value as Value, paths);
        addTemplates(inner, paths);
      }
      addTemplates(template.elseTemplates ?? [], paths);
    } else if (template instanceof CaseTag) {
      addExpression(template.value, paths);
      for (const { values, templates: inner } of template.branches) {
        for (const value of values) addValue(value, paths);
        addTemplates(inner, paths);
      }
      addTemplates(template.elseTemplates, paths);
    } else throw NOT_SIMPLE;
}

/**
 * The paths of all values in a text that renders each of its parts at most once and uses linear filters only; undefined for
 * other texts. It takes time in proportion to the length of the text and its values, so that it needs no thread.
 */
export function pathsOfSimple(templates: readonly Template[]): Path[] | undefined {
  const paths: Path[] = [];
  try {
    addTemplates(templates, paths);
    return paths;
  } catch (error) {
    if (error === NOT_SIMPLE) return undefined;
    throw error;
  }
}

/** The characters of a scalar, or of an array of scalars; undefined for other values. */
function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 20;
  if (!Array.isArray(value) || value.length > 1_000) return undefined;
  let size = value.length;
  for (const item of value) {
    const itemSize = Array.isArray(item) ? undefined : sizeOf(item);
    if (itemSize === undefined) return undefined;
    size += itemSize;
  }
  return size;
}

/** Whether the values at these paths are small scalars. */
export function haveSmallValues(paths: readonly Path[], scope: object): boolean {
  let size = 0;
  for (const path of paths) {
    let value: unknown = scope;
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
        // `first` and `last` are computed: of an array, the value could be of any size.
        if (Array.isArray(value)) return false;
        value = undefined;
        break;
      }
      value = (value as Record<string, unknown>)[name];
    }
    const valueSize = sizeOf(value);
    if (valueSize === undefined) return false;
    size += valueSize;
    if (size > MAX_VALUE_CHARACTERS) return false;
  }
  return true;
}
