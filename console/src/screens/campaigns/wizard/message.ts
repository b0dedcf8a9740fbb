import type { CampaignWithCounts } from '@parley/sdk';

/** What a campaign sends without an automation. */
export type Message = NonNullable<CampaignWithCounts['message']>;
export type ContentKind = 'template' | 'text' | 'automation';

/** What kind of content a campaign has; undefined before somebody chose one. */
export function contentKindOf({
  message,
  automationId,
}: Pick<CampaignWithCounts, 'message' | 'automationId'>): ContentKind | undefined {
  if (message === null) return automationId === null ? undefined : 'automation';
  if (message.template) return 'template';
  return message.text === undefined && message.media === undefined ? undefined : 'text';
}
