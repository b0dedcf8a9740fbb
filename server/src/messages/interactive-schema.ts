import { Type } from 'typebox';
import { FreeObject, OneOf } from '../http/schema.ts';

export const Label = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) });
const Choice = Type.Object({ id: Label(256, 'Returned with the choice of the customer'), title: Label(20) });

export const Url = Type.String({ minLength: 1, maxLength: 2000, description: 'An http or https URL' });

const Flow = Type.Object(
  {
    flowId: Type.Optional(Label(256, 'The flow; or give its `name`')),
    name: Type.Optional(Label(200)),
    button: Label(30, 'The text of the button that opens the flow'),
    token: Type.Optional(Label(1024, 'Returned with the answer; the id of the message by default')),
    mode: Type.Optional(OneOf(['draft', 'published'], '`published` by default')),
    action: Type.Optional(
      OneOf(
        ['navigate', 'data_exchange'],
        '`navigate` by default; with `data_exchange` its endpoint decides',
      ),
    ),
    screen: Type.Optional(Label(200, 'The first screen; by default the first one of the flow')),
    data: Type.Optional(FreeObject('What the first screen gets, up to 16,384 characters of JSON')),
  },
  { description: 'A form of several screens; on WhatsApp' },
);

export const Interactive = Type.Object({
  header: Type.Optional(
    Type.Object(
      { text: Label(60) },
      { description: 'Above the text; or give one file in `media` with buttons' },
    ),
  ),
  footer: Type.Optional(Label(60, 'Below the text')),
  buttons: Type.Optional(
    Type.Array(Choice, {
      minItems: 1,
      maxItems: 13,
      description: 'On WhatsApp up to 3 buttons, on Instagram up to 13 quick replies',
    }),
  ),
  list: Type.Optional(
    Type.Object({
      button: Label(20, 'The text of the button that opens the list'),
      sections: Type.Array(
        Type.Object({
          title: Type.Optional(Label(24)),
          rows: Type.Array(
            Type.Object({
              id: Label(200, 'Returned with the choice of the customer'),
              title: Label(24),
              description: Type.Optional(Label(72)),
            }),
            { minItems: 1, maxItems: 10 },
          ),
        }),
        { minItems: 1, maxItems: 10 },
      ),
    }),
  ),
  link: Type.Optional(
    Type.Object(
      { title: Label(20, 'The text of the button'), url: Url },
      { description: 'A button that opens a page; on WhatsApp and Instagram' },
    ),
  ),
  flow: Type.Optional(Flow),
  product: Type.Optional(
    Type.Object(
      { catalogId: Label(256), productId: Label(256, 'The id in the catalogue that the retailer gave it') },
      { description: 'One product of the catalogue; on WhatsApp' },
    ),
  ),
  productList: Type.Optional(
    Type.Object(
      {
        catalogId: Label(256),
        sections: Type.Array(
          Type.Object({
            title: Type.Optional(Label(24, 'Required if there are several sections')),
            productIds: Type.Array(Label(256), { minItems: 1, maxItems: 30 }),
          }),
          { minItems: 1, maxItems: 10 },
        ),
      },
      { description: 'Up to 30 products of the catalogue; needs a header; on WhatsApp' },
    ),
  ),
  catalog: Type.Optional(
    Type.Object(
      { thumbnailProductId: Label(256, 'The product whose picture is shown') },
      { description: 'A button that opens the whole catalogue; on WhatsApp' },
    ),
  ),
  locationRequest: Type.Optional(
    Type.Object({}, { description: 'A button by which the contact sends its location; on WhatsApp' }),
  ),
  cards: Type.Optional(
    Type.Array(
      Type.Object({
        title: Label(80),
        subtitle: Type.Optional(Label(80)),
        imageUrl: Type.Optional(Url),
        url: Type.Optional(Url),
        buttons: Type.Optional(
          Type.Array(
            Type.Object({
              title: Label(20),
              id: Type.Optional(Label(256, 'Returned with the choice of the customer; or give `url`')),
              url: Type.Optional(Url),
            }),
            { minItems: 1, maxItems: 3 },
          ),
        ),
      }),
      { minItems: 1, maxItems: 10, description: 'Cards side by side, without a text; on Instagram' },
    ),
  ),
});
