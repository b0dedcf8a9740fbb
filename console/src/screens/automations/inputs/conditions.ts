import type { Variable } from '../../../flow/definition.ts';
import { type FilterText, type FilterTexts, oneOf, written } from '../../../ui/filter.ts';

const negated = (text: FilterText): FilterText => ({
  write: (value) => `not(${text.write(value)})`,
  pattern: `not\\(${text.pattern}\\)`,
  read: text.read,
});

/** A number or a truth value, which is written without quotes. */
const plain = (call: string, field: string): FilterText => ({
  write: (value) => `${call}(${field},${value})`,
  pattern: `${call}\\(${field},(-?\\d+(?:\\.\\d+)?|true|false)\\)`,
  read: (text) => text,
});

/** Ids that can be part of a filter as they are. */
const NAME = /^[\w.-]+$/;

interface Known {
  attributes: readonly { externalId: string }[];
  variables: readonly Variable[];
  /** Under which names answers of servers are saved. */
  saved: readonly string[];
}

/** How conditions about a run are written. `attribute:city` is one about the attribute `city`. */
export const conditionTexts = ({ attributes, variables, saved }: Known): FilterTexts => ({
  word: written('hasWord', 'message.text'),
  text: written('contains', 'message.text'),
  label: written('contains', 'contact.labelIds'),
  noLabel: negated(written('contains', 'contact.labelIds')),
  subscribed: oneOf({
    true: 'eq(contact.isSubscribed,true)',
    false: 'eq(contact.isSubscribed,false)',
  }),
  isOpen: oneOf({ true: 'eq(hours.isOpen,true)', false: 'eq(hours.isOpen,false)' }),
  language: written('eq', 'contact.language'),
  chatStatus: written('eq', 'chat.status'),
  channel: written('eq', 'chat.channelId'),
  ...Object.fromEntries([
    ...attributes
      .filter(({ externalId }) => NAME.test(externalId))
      .map(({ externalId }) => [`attribute:${externalId}`, written('eq', `attributes.${externalId}`)]),
    ...variables
      .filter(({ name }) => NAME.test(name))
      .map(({ name, type }) => [
        `variable:${name}`,
        (type === 'string' ? written : plain)('eq', `variables.${name}`),
      ]),
    ...saved
      .filter((name) => NAME.test(name))
      .map((name) => [`answer:${name}`, plain('eq', `steps.${name}.status`)]),
  ]),
});

const PERIODS = ['P1D', 'P7D', 'P30D'] as const;

/** How the contacts of a schedule are chosen. */
export const audienceTexts = ({ attributes }: Pick<Known, 'attributes'>): FilterTexts => ({
  everybody: oneOf({ all: 'not(isNull(createdAt))' }),
  label: written('in', 'labelIds'),
  noLabel: negated(written('in', 'labelIds')),
  subscribed: oneOf({ true: 'eq(isSubscribed,true)', false: 'eq(isSubscribed,false)' }),
  language: written('eq', 'language'),
  created: oneOf(Object.fromEntries(PERIODS.map((period) => [period, `ge(createdAt,now("-${period}"))`]))),
  ...Object.fromEntries(
    attributes
      .filter(({ externalId }) => NAME.test(externalId))
      .map(({ externalId }) => [`attribute:${externalId}`, written('eq', `attributes.${externalId}`)]),
  ),
});
