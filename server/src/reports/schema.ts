import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../http/schema.ts';
import { Query } from '../search/schema.ts';
import type { StoredFigure } from './sources.ts';

const reportNames = ['volumes', 'response_times', 'agents', 'campaigns', 'automations'] as const;
export type ReportName = (typeof reportNames)[number];
const intervals = ['hour', 'day', 'week', 'month'] as const;
export type IntervalName = (typeof intervals)[number];
const groupings = ['channel', 'author', 'user', 'campaign', 'automation'] as const;
export type Grouping = (typeof groupings)[number];

const count = (description: string) => Type.Optional(Type.Integer({ description }));
const seconds = (description: string) => Type.Optional(Nullable(Type.Number({ description })));
/** How a duration is shown. Averages are exact; buckets make the others differ by less than 5 %. */
const durations = (name: string) =>
  ({
    average: seconds(`The average of ${name} in seconds, exactly; null without any`),
    median: seconds(`The median of ${name} in seconds, to within 5 %`),
    p90: seconds(`90 % of ${name} took at most so many seconds, to within 5 %`),
  }) as const;
const first = durations('first responses');
const later = durations('later responses');

/** All figures, of which each report has some. */
const figures = {
  received: count('Messages of contacts'),
  sent: count(
    'Messages that were sent; of campaigns: recipients to whom the first message was sent. They count when they were written, scheduled ones when they were sent',
  ),
  failed: count('Messages, recipients or runs that failed'),
  opened: count('New chats'),
  reopened: count('Closed chats that were opened again'),
  closed: count('How often chats were closed'),
  replies: count('Messages that users wrote'),
  firstResponses: count('First replies of a person, or of the API, after a chat was opened'),
  firstResponseAverageSeconds: first.average,
  firstResponseMedianSeconds: first.median,
  firstResponseP90Seconds: first.p90,
  laterResponses: count('Later replies to contacts who waited'),
  laterResponseAverageSeconds: later.average,
  laterResponseMedianSeconds: later.median,
  laterResponseP90Seconds: later.p90,
  delivered: count('Recipients whose first message was delivered'),
  read: count('Recipients who read it, as far as the channel reports that'),
  replied: count('Recipients who wrote within 7 days, and before the next campaign'),
  optedOut: count('Recipients who unsubscribed within 7 days, and before the next campaign'),
  started: count('Runs that started'),
  completed: count('Runs that were completed by now'),
  cancelled: count('Runs that were cancelled'),
};
export type Figure = keyof typeof figures;

export const ReportRow = Type.Object(
  {
    at: Timestamp('When the interval begins'),
    group: Nullable(
      Type.Object({
        id: Nullable(
          Type.String({ description: 'The id of the channel, user, campaign or automation, or the author' }),
        ),
        name: Nullable(Type.String({ description: 'Null if it was deleted' })),
      }),
    ),
    ...figures,
  },
  { title: 'ReportRow' },
);
export type ReportRow = Static<typeof ReportRow>;

const asked = {
  name: OneOf(reportNames, 'Which report'),
  from: Timestamp('The begin; the quarter of an hour in which it is counts as a whole'),
  to: Timestamp('The end, at most ten years later; the quarter of an hour in which it is counts as a whole'),
  interval: Type.Optional(
    OneOf(intervals, 'A row for each; without it, one row for the whole period. Weeks begin on Monday'),
  ),
  groupBy: Type.Optional(OneOf(groupings, 'A row for each; without it, the sum of all')),
  query: Type.Optional(Query),
  timezone: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'In which days, weeks and months begin; that of the tenant when left out',
      examples: ['Europe/Berlin'],
    }),
  ),
};
export const ReportBody = Type.Object(asked);
export type ReportBody = Static<typeof ReportBody>;

/** How a stored figure becomes figures of a report. */
type Origin = { counts: readonly StoredFigure[] } | { durations: StoredFigure };
/** What figures can be filtered by. Each report has some of them. */
type FilterField = 'channelId' | 'teamIds' | 'authorType' | 'userId' | 'campaignId' | 'automationId';
interface Report {
  groupings: readonly Grouping[];
  filters: readonly FilterField[];
  figures: Partial<Record<Figure, Origin>>;
  /** Only what was done by a user, or belongs to a campaign or automation. */
  hasSubject?: true;
}

const firstResponses = {
  firstResponses: { counts: ['first_response'] },
  firstResponseAverageSeconds: { durations: 'first_response' },
  firstResponseMedianSeconds: { durations: 'first_response' },
  firstResponseP90Seconds: { durations: 'first_response' },
} as const;
const laterResponses = {
  laterResponses: { counts: ['later_response'] },
  laterResponseAverageSeconds: { durations: 'later_response' },
  laterResponseMedianSeconds: { durations: 'later_response' },
  laterResponseP90Seconds: { durations: 'later_response' },
} as const;

/** The figures of each report and how they can be grouped. */
export const reports: Readonly<Record<ReportName, Report>> = {
  volumes: {
    groupings: ['channel', 'author'],
    filters: ['channelId', 'teamIds', 'authorType', 'userId'],
    figures: {
      received: { counts: ['received'] },
      sent: { counts: ['sent'] },
      failed: { counts: ['failed'] },
      opened: { counts: ['opened'] },
      reopened: { counts: ['reopened'] },
      closed: { counts: ['closed'] },
    },
  },
  response_times: {
    groupings: ['channel', 'user'],
    filters: ['channelId', 'teamIds', 'userId'],
    figures: { ...firstResponses, ...laterResponses },
  },
  agents: {
    groupings: ['user', 'channel'],
    filters: ['channelId', 'teamIds', 'userId'],
    hasSubject: true,
    figures: {
      replies: { counts: ['sent', 'failed'] },
      closed: { counts: ['closed'] },
      ...firstResponses,
      ...laterResponses,
    },
  },
  campaigns: {
    groupings: ['campaign', 'channel'],
    filters: ['channelId', 'teamIds', 'campaignId'],
    figures: {
      sent: { counts: ['campaign_sent'] },
      delivered: { counts: ['campaign_delivered'] },
      read: { counts: ['campaign_read'] },
      replied: { counts: ['campaign_replied'] },
      failed: { counts: ['campaign_failed'] },
      optedOut: { counts: ['campaign_opted_out'] },
    },
  },
  automations: {
    groupings: ['automation', 'channel'],
    filters: ['channelId', 'teamIds', 'automationId'],
    figures: {
      started: { counts: ['run_started'] },
      completed: { counts: ['run_completed'] },
      failed: { counts: ['run_failed'] },
      cancelled: { counts: ['run_cancelled'] },
    },
  },
};
