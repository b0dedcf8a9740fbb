import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from '../http/schema.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Unique in the tenant, not case-sensitive',
});
const Color = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'Such as `#0f766e`' });

export const NewLabel = Type.Object({ name: Name, color: Type.Optional(Nullable(Color)) });
export const LabelChange = Type.Object({ name: Type.Optional(Name), color: Type.Optional(Nullable(Color)) });

export const Label = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    color: Nullable(Type.String()),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Label' },
);
export type Label = Static<typeof Label>;
