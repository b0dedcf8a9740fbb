import { type TSchema, Type } from 'typebox';
import { strictBody } from '../../http/strict-body.ts';
import { MAX_STEP_ID, stepParameters, triggerParameters } from './steps.ts';

/** `send_message` becomes `SendMessage`. */
const pascalCase = (type: string): string =>
  type.replaceAll(/(^|_)([a-z])/g, (_match, _separator, letter: string) => letter.toUpperCase());

const needsParameters = (schema: TSchema): boolean =>
  ((schema as { required?: string[] }).required ?? []).length > 0;

/** One schema for each type, distinguished by `type`: clients generate a type for each. */
function union(noun: string, table: Record<string, TSchema>, more: Record<string, TSchema>): TSchema {
  const entries = Object.entries(table).map(([type, parameters]) => {
    const title = `${pascalCase(type)}${noun}`;
    const schema = Type.Object(
      {
        ...more,
        type: Type.Literal(type),
        parameters: needsParameters(parameters) ? parameters : Type.Optional(parameters),
      },
      { title },
    );
    return { type, title, schema: { ...strictBody(schema), title } };
  });
  return Type.Unsafe({
    title: noun,
    oneOf: entries.map(({ schema }) => schema),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(entries.map(({ type, title }) => [type, `#/components/schemas/${title}`])),
    },
  });
}

/** A step, as the API reference shows it. */
export const documentedStep = union('Step', stepParameters, {
  id: Type.String({ minLength: 1, maxLength: MAX_STEP_ID, description: 'Unique in the definition' }),
  next: Type.Optional(Type.String({ description: 'The id of the next step. Default: the following step' })),
});

/** A trigger, as the API reference shows it. */
export const documentedTrigger = union('Trigger', triggerParameters, {});
