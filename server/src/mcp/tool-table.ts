/** What an assistant can do: operations of the API, by their ids. Everything else about a tool comes from the OpenAPI document. */
interface ToolEntry {
  /** It changes something, so it is offered only if the caller asks for such tools. */
  writes?: true;
  /** What it changes cannot be taken back. */
  isFinal?: true;
  /** The fields of the body that are offered; default: all. Schemas that no assistant needs would fill its context. */
  only?: readonly string[];
}

const message = ['text', 'media', 'template', 'replyToMessageId', 'purpose', 'scheduledAt'];

export const toolTable: Readonly<Record<string, ToolEntry>> = {
  getMe: {},
  searchContacts: {},
  getContact: {},
  getContactTimeline: {},
  searchLabels: {},
  searchSegments: {},
  countSegment: {},
  searchChannels: {},
  searchUsers: {},
  searchTeams: {},
  searchChats: {},
  getChat: {},
  countChats: {},
  searchChatMessages: {},
  searchMessages: {},
  getMessage: {},
  searchNotes: {},
  searchSavedReplies: {},
  searchMessageTemplates: {},
  getMessageTemplate: {},
  searchAutomations: {},
  getAutomation: {},
  explainAutomations: {},
  dryRunAutomation: {
    only: ['contactId', 'chatId', 'message', 'variables', 'replies', 'responses', 'at', 'versionId'],
  },
  searchAutomationRuns: {},
  getAutomationRun: {},
  getAutomationFunnel: {},
  searchCampaigns: {},
  getCampaign: {},
  previewCampaign: {
    only: [
      'channelId',
      'automationId',
      'messageTemplateId',
      'templateHeader',
      'message',
      'purpose',
      'variables',
      'audience',
      'segmentId',
      'scheduledAt',
      'timezone',
    ],
  },
  searchReports: {},
  searchEvents: {},
  getTrace: {},
  getJob: {},
  sendChatMessage: { writes: true, isFinal: true, only: message },
  sendMessage: { writes: true, isFinal: true, only: ['channelId', 'contactId', 'to', ...message] },
  cancelMessage: { writes: true, isFinal: true },
  createNote: { writes: true, only: ['text', 'mentionedUserIds', 'mentionedTeamIds'] },
  createLabel: { writes: true },
  addContactLabels: { writes: true },
  removeContactLabel: { writes: true },
  updateContact: { writes: true, only: ['firstName', 'lastName', 'language', 'timezone', 'attributes'] },
  assignChat: { writes: true },
  setChatStatus: { writes: true },
  markChat: { writes: true, only: ['isUnread'] },
};
