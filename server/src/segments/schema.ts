import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../http/schema.ts';
import { MAX_EXPRESSION_CHARACTERS } from '../search/grammar/tokens.ts';

const Name = Type.String({ minLength: 1, maxLength: 100, description: 'Unique, whatever its case' });
const Query = Type.String({
  minLength: 1,
  maxLength: MAX_EXPRESSION_CHARACTERS,
  description: 'A filter of contacts, as in `POST /v3/contacts/search`',
});

export const NewSegment = Type.Object({ name: Name, query: Query });
export const SegmentChange = Type.Partial(NewSegment);

export const Segment = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    query: Type.String({ description: 'A filter of contacts, as in `POST /v3/contacts/search`' }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Segment', description: 'A saved filter of contacts: all who match it now belong to it' },
);
export type Segment = Static<typeof Segment>;

export const SegmentCount = Type.Object(
  {
    total: Type.Integer({ description: 'How many contacts match now' }),
    totalIsCapped: Type.Boolean({ description: 'Whether more match: counting ends at 100,000' }),
  },
  { title: 'SegmentCount' },
);
export type SegmentCount = Static<typeof SegmentCount>;
