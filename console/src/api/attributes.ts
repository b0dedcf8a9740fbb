import { type Attribute, createAttribute, searchAttributes } from '@parley/sdk';
import { client } from './api.ts';
import { externalIdFor } from './external-id.ts';
import { useAll } from './lists.ts';
import { useScope } from './session.tsx';

export const ATTRIBUTES_KEY = ['attributes'];

/** All attributes; none for those who may not see them. */
export const useAttributes = () =>
  useAll(ATTRIBUTES_KEY, searchAttributes, { enabled: useScope('attributes:read') });

/** A text with a name, such as that of a column. */
export const createTextAttribute = (name: string, others: readonly Attribute[]): Promise<Attribute> =>
  createAttribute(client, {
    body: {
      name,
      externalId: externalIdFor(
        name,
        others.map(({ externalId }) => externalId),
      ),
    },
  });
