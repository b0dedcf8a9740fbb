import { type TOptional, type TProperties, Type } from 'typebox';
import { MimeType, OneOf } from '../../http/schema.ts';
import { interactiveKinds } from '../../providers/interactive.ts';
import { MAX_TEMPLATE_CHARACTERS } from './liquid.ts';
import { exactlyOne, refersTo, template, templatesWithin, url } from './rules.ts';
import { type ReferenceKind, RULE, type Rule } from './schema-walker.ts';

export const MAX_URL = 2048;

export const text = (rule: Rule<string>, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, [RULE]: rule });
export const liquid = () => text(template, MAX_TEMPLATE_CHARACTERS);
export const id = (kind: ReferenceKind) => Type.String({ format: 'uuid', [RULE]: refersTo(kind) });

/** Liquid by name: headers, or the variables of a template. */
export const texts = (rule: Rule<string>, ruleOfNames: Rule<object> = () => {}) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: 50,
    additionalProperties: Type.String({ maxLength: MAX_TEMPLATE_CHARACTERS, [RULE]: rule }),
    [RULE]: ruleOfNames,
  });

/** A short text. What it becomes is checked when it is sent. */
export const label = () => text(template, 2_000);

/** A file to be sent. */
export const file = Type.Object(
  {
    fileId: Type.Optional(id('file')),
    url: Type.Optional(text(url, MAX_URL)),
    filename: Type.Optional(label()),
  },
  { [RULE]: exactlyOne('fileId', 'url') },
);

/** A file of a message, as in `POST /v3/messages`. */
export const media = Type.Object(
  { ...file.properties, mimeType: Type.Optional(MimeType('Of the file at `url`; by default from its name')) },
  { [RULE]: exactlyOne('fileId', 'url') },
);

/** The header of a template: a file, or a place on the map. */
export const templateHeader = Type.Object(
  {
    fileId: Type.Optional(id('file')),
    url: Type.Optional(text(url, MAX_URL)),
    filename: Type.Optional(label()),
    location: Type.Optional(
      Type.Object({
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
        name: label(),
        address: label(),
      }),
    ),
  },
  { [RULE]: exactlyOne('fileId', 'url', 'location') },
);

const choices = (maxItems: number) =>
  Type.Array(Type.Object({ id: label(), title: label() }), { minItems: 1, maxItems });
const sectionsOf = <S extends TProperties>(items: S) =>
  Type.Array(Type.Object({ title: Type.Optional(label()), ...items }), { minItems: 1, maxItems: 10 });

/** What the recipient can do with a message, as in `POST /v3/messages`. */
export const interactive = Type.Object(
  {
    header: Type.Optional(Type.Object({ text: label() })),
    footer: Type.Optional(label()),
    buttons: Type.Optional(choices(13)),
    list: Type.Optional(
      Type.Object({
        button: label(),
        sections: sectionsOf({
          rows: Type.Array(
            Type.Object({ id: label(), title: label(), description: Type.Optional(label()) }),
            { minItems: 1, maxItems: 10 },
          ),
        }),
      }),
    ),
    link: Type.Optional(Type.Object({ title: label(), url: label() })),
    flow: Type.Optional(
      Type.Object(
        {
          flowId: Type.Optional(label()),
          name: Type.Optional(label()),
          button: label(),
          token: Type.Optional(label()),
          mode: Type.Optional(OneOf(['draft', 'published'])),
          action: Type.Optional(OneOf(['navigate', 'data_exchange'])),
          screen: Type.Optional(label()),
          data: Type.Optional(
            Type.Unsafe<Record<string, unknown>>({
              type: 'object',
              additionalProperties: true,
              [RULE]: templatesWithin,
            }),
          ),
        },
        { [RULE]: exactlyOne('flowId', 'name') },
      ),
    ),
    product: Type.Optional(Type.Object({ catalogId: label(), productId: label() })),
    productList: Type.Optional(
      Type.Object({
        catalogId: label(),
        sections: sectionsOf({ productIds: Type.Array(label(), { minItems: 1, maxItems: 30 }) }),
      }),
    ),
    catalog: Type.Optional(Type.Object({ thumbnailProductId: label() })),
    locationRequest: Type.Optional(Type.Object({})),
    cards: Type.Optional(
      Type.Array(
        Type.Object({
          title: label(),
          subtitle: Type.Optional(label()),
          imageUrl: Type.Optional(label()),
          url: Type.Optional(label()),
          buttons: Type.Optional(
            Type.Array(
              Type.Object(
                { title: label(), id: Type.Optional(label()), url: Type.Optional(label()) },
                { [RULE]: exactlyOne('id', 'url') },
              ),
              { minItems: 1, maxItems: 3 },
            ),
          ),
        }),
        { minItems: 1, maxItems: 10 },
      ),
    ),
  },
  { [RULE]: exactlyOne(...interactiveKinds) },
);

const optionalLabels = <N extends string>(...names: N[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(label())])) as Record<
    N,
    TOptional<ReturnType<typeof label>>
  >;

/** Cards of contacts, as in `POST /v3/messages`. */
export const contacts = Type.Array(
  Type.Object({
    name: label(),
    ...optionalLabels('firstName', 'lastName', 'organization', 'department', 'title', 'birthday'),
    phoneNumbers: Type.Optional(Type.Array(label(), { maxItems: 20 })),
    emails: Type.Optional(Type.Array(label(), { maxItems: 20 })),
    urls: Type.Optional(Type.Array(label(), { maxItems: 20 })),
    addresses: Type.Optional(
      Type.Array(Type.Object(optionalLabels('street', 'city', 'state', 'zip', 'country', 'countryCode')), {
        maxItems: 10,
      }),
    ),
  }),
  { minItems: 1, maxItems: 50 },
);
