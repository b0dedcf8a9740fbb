import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from '../http/schema.ts';
import { Query, SortBy } from '../search/schema.ts';

const Name = Type.String({ minLength: 1, maxLength: 100 });
const IsShared = Type.Boolean({
  description: 'Whether all users see it. A view that a token creates is always shared',
});

export const NewView = Type.Object({
  name: Name,
  query: Query,
  sortBy: Type.Optional(Nullable(SortBy)),
  isShared: Type.Optional(IsShared),
});
export const ViewChange = Type.Partial(NewView);

export const View = Type.Object(
  {
    id: Uuid(),
    userId: Nullable(Uuid('Who created it; null for a token')),
    name: Type.String(),
    query: Type.String({ description: 'A filter of chats, as in `POST /v3/chats/search`' }),
    sortBy: Nullable(Type.String()),
    isShared: Type.Boolean(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'View', description: 'A saved filter of chats' },
);
export type View = Static<typeof View>;
