import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../http/schema.ts';

const MAX_VALUE_CHARACTERS = 4_096;

/** A name that Liquid can use: `{{ secrets.crmKey }}`. */
export const SECRET_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

export const SecretValue = Type.Object({
  value: Type.String({
    minLength: 1,
    maxLength: MAX_VALUE_CHARACTERS,
    description: 'Stored encrypted and never shown',
  }),
});

export const Secret = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    createdAt: Timestamp(),
    updatedAt: Timestamp('When its value was last set'),
  },
  { title: 'Secret', description: 'A secret without its value' },
);
export type Secret = Static<typeof Secret>;
