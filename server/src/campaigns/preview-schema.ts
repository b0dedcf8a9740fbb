import { type Static, Type } from 'typebox';
import { Failure } from '../automations/schema.ts';
import { Nullable, Timestamp, Uuid } from '../http/schema.ts';
import { Message } from '../messages/schema.ts';
import { NewCampaign, type SkipReason, skipReasons } from './schema.ts';

/** A campaign that is not stored. */
export const CampaignToPreview = Type.Object({
  ...NewCampaign.properties,
  name: Type.Optional(NewCampaign.properties.name),
});
export type CampaignToPreview = Static<typeof CampaignToPreview>;

export const CampaignPreview = Type.Object(
  {
    matched: Type.Integer({
      description: 'How many contacts there are: those given, and those of the audience',
    }),
    matchedIsCapped: Type.Boolean({ description: 'Whether there are more: counting ends at 100,000' }),
    examined: Type.Integer({
      description: 'How many of them `sendable` and `skipped` are about: at most 5,000',
    }),
    sendable: Type.Integer({ description: 'How many of those examined can be sent to now' }),
    skipped: Type.Partial(
      Type.Object(
        Object.fromEntries(skipReasons.map((reason) => [reason, Type.Integer()])) as Record<
          SkipReason,
          ReturnType<typeof Type.Integer>
        >,
      ),
      {
        description: 'How many of those examined cannot be sent to, by reason; only reasons that occur',
      },
    ),
    samples: Type.Array(
      Type.Object({
        contactId: Uuid(),
        displayName: Type.String(),
        messages: Type.Array(Message, {
          description:
            'What the contact would get at once: the messages until the run waits or ends, at most 20',
        }),
        error: Type.Unsafe<Static<typeof Failure>>({
          ...Failure,
          description: 'Why there is no message: the run would fail, or wait before it sends',
        }),
      }),
      {
        description:
          'The messages to up to five contacts, as they would be sent; without `contacts:read` only to those who are no contacts yet',
      },
    ),
    quietHours: Nullable(
      Type.Object(
        {
          recipients: Type.Integer({ description: 'How many of those that can be sent to wait' }),
          from: Timestamp('When the first of them would be sent to'),
          until: Timestamp('When the last of them would be sent to'),
        },
        {
          description:
            'Those for whom it is quiet when the campaign starts, and who are sent to later; null if nobody waits',
        },
      ),
    ),
    estimatedMinutes: Type.Integer({
      description:
        'How long sending takes at the rate of the channel, if all that are not examined are like the others; at least so long if `matchedIsCapped`',
    }),
  },
  { title: 'CampaignPreview' },
);
export type CampaignPreview = Static<typeof CampaignPreview>;
