import { type Field, findField, findNearestField, type Searchable } from '../fields.ts';
import { quote } from '../text.ts';
import type { Tokens } from './tokens.ts';

/** Parses the name of a field. An attribute's externalId may need quotes: `eq("attributes.shoe size",44)`. */
export function parseField(tokens: Tokens, searchable: Searchable): { name: string; field: Field } {
  const token = tokens.take();
  if (token.kind !== 'name' && token.kind !== 'text') {
    throw tokens.createExpectedError('the name of a field', token);
  }
  const name = token.text;
  const field = findField(searchable, name);
  if (field !== undefined) return { name, field };
  const suggestion = `; did you mean "${findNearestField(searchable, name)}"?`;
  throw tokens.createError(`Unknown field ${quote(name)}`, token, suggestion);
}
