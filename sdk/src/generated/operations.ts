// Generated from openapi/v3.json by `npm run sdk`. Do not edit.
import { type CallOptions, type Client, call, create, download, type KeyedOptions, list, type Page, search, upload } from '../call.ts';
import type {
  AddContactLabelsBody,
  AddRecipientsBody,
  AdvanceClockBody,
  ApiWebhook,
  AssignChatBody,
  Attribute,
  AuditEntry,
  Automation,
  AutomationCheck,
  AutomationDryRun,
  AutomationExplanation,
  AutomationFunnel,
  AutomationRun,
  AutomationRunWithTrace,
  AutomationVersion,
  Campaign,
  CampaignPreview,
  CampaignWithCounts,
  ChangeAutomationRunsBody,
  ChangeChatsBody,
  ChangeContactsBody,
  ChangePasswordBody,
  Channel,
  ChannelCheck,
  ChannelKind,
  ChannelSetupStep,
  Chat,
  ChatCount,
  ChatPresence,
  CheckAutomationBody,
  ConfirmTotpBody,
  Consent,
  Contact,
  ContactData,
  CountChatsBody,
  CreateApiWebhookBody,
  CreateAttributeBody,
  CreateAutomationBody,
  CreateCampaignBody,
  CreateChannelBody,
  CreateChatBody,
  CreateContactBody,
  CreateImportBody,
  CreateLabelBody,
  CreateLoginLinkBody,
  CreateMessageTemplateBody,
  CreateNoteBody,
  CreateSavedReplyBody,
  CreateSegmentBody,
  CreateTeamBody,
  CreateTenantBody,
  CreateTenantTokenBody,
  CreateTokenBody,
  CreateUserBody,
  CreateViewBody,
  CreatedApiWebhook,
  CreatedToken,
  DeleteResult,
  DescribeHoursBody,
  DescribeLinkBody,
  DisableTotpBody,
  DryRunAutomationBody,
  EndedSession,
  EnrolTotpBody,
  Event,
  ExamineImportBody,
  ExaminedImport,
  ExplainAutomationsBody,
  FailedRequest,
  File,
  FilePublicUrl,
  FoundDelivery,
  GetAutomationFunnelBody,
  HeldWork,
  HoursState,
  Import,
  InstallationStatus,
  Job,
  Label,
  LinkInfo,
  LogInBody,
  LoginMethods,
  MarkChatBody,
  Me,
  MergeContactsBody,
  MergedContact,
  Message,
  MessageTemplate,
  NewTotp,
  Note,
  Notification,
  OwnSession,
  PasswordReset,
  PauseChatAutomationBody,
  PersonLink,
  PreviewCampaignBody,
  PublishAutomationBody,
  ReadInSandboxBody,
  ReadNotificationsBody,
  Recipient,
  RecordConsentBody,
  RecoverApiWebhookBody,
  RecoveryCodes,
  RecoveryResult,
  RedeemLinkBody,
  RemovalResult,
  RenderSavedReplyBody,
  RenderedReply,
  ReportRow,
  RequestPasswordResetBody,
  RetryWebhookDeliveriesBody,
  RotatedApiWebhook,
  SandboxAccepted,
  SandboxFaults,
  SandboxSettings,
  SavedReply,
  SearchBody,
  SearchReportsBody,
  Secret,
  Segment,
  SegmentCount,
  SendChatMessageBody,
  SendMessageBody,
  Session,
  SetAutomationStatusBody,
  SetCampaignStatusBody,
  SetChatPresenceBody,
  SetChatStatusBody,
  SetSandboxFaultsBody,
  StartedJob,
  StoreSecretBody,
  SyncMessageTemplatesBody,
  Team,
  TemplateSync,
  Tenant,
  TenantSettings,
  TenantV2Usage,
  TestCampaignBody,
  TestClock,
  TimelineItem,
  Token,
  Trace,
  TriggerAutomationBody,
  UnreadNotifications,
  UpdateApiWebhookBody,
  UpdateAttributeBody,
  UpdateAutomationBody,
  UpdateCampaignBody,
  UpdateChannelBody,
  UpdateChatBody,
  UpdateContactBody,
  UpdateLabelBody,
  UpdateMessageTemplateBody,
  UpdateNoteBody,
  UpdateOwnAvailabilityBody,
  UpdatePersonBody,
  UpdateSavedReplyBody,
  UpdateSegmentBody,
  UpdateTeamBody,
  UpdateTenantBody,
  UpdateTenantSettingsBody,
  UpdateUserBody,
  UpdateViewBody,
  UploadFileBody,
  User,
  UserSession,
  V2Usage,
  View,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookStats,
  WriteInSandboxBody,
} from './types.ts';

/**
 * Get the tenant and rights of the caller
 *
 * `GET /v3/me`
 *
 * The caller's tenant and plan, its scopes, and the limits of the tenant.
 */
export const getMe = (client: Client, input: CallOptions = {}): Promise<Me> =>
  call(client, 'GET', '/v3/me', input);

/**
 * Get the settings of the tenant
 *
 * `GET /v3/tenant`
 *
 * The name of the tenant, the time zone and language that its people use unless they choose their own, when it is open and when it sends no marketing, how much of its limits it uses, and whether links are mailed.
 *
 * Requires the scope `tenant:read`.
 */
export const getTenantSettings = (client: Client, input: CallOptions = {}): Promise<TenantSettings> =>
  call(client, 'GET', '/v3/tenant', input);

/**
 * Change the settings of the tenant
 *
 * `PUT /v3/tenant`
 *
 * Changes the given settings; those that are left out stay. Hours are replaced as a whole, and null removes them; what waits by them looks at the new ones at once. Of the roles only the owner may do that.
 *
 * Requires the scope `tenant:write`.
 */
export const updateTenantSettings = (client: Client, input: CallOptions & { body?: UpdateTenantSettingsBody | undefined } = {}): Promise<TenantSettings> =>
  call(client, 'PUT', '/v3/tenant', input);

/**
 * Create an access token
 *
 * `POST /v3/tokens`
 *
 * The access token is in this answer and cannot be read again. It can only have scopes that the caller has. Tokens are not refreshed: create a new one and delete the old one.
 *
 * Requires the scope `tokens:write`.
 */
export const createToken = (client: Client, input: KeyedOptions & { body: CreateTokenBody }): Promise<CreatedToken> =>
  create(client, '/v3/tokens', input);

/**
 * Search access tokens
 *
 * `POST /v3/tokens/search`
 *
 * Fields to filter and sort by: id, name, expiresAt, lastUsedAt, createdAt, updatedAt.
 *
 * Requires the scope `tokens:read`.
 */
export const searchTokens = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Token>> =>
  search(client, '/v3/tokens/search', input);

/**
 * Delete an access token
 *
 * `DELETE /v3/tokens/{tokenId}`
 *
 * The token is refused at once by this server, and within five seconds by every other.
 *
 * Requires the scope `tokens:write`.
 */
export const deleteToken = (client: Client, input: CallOptions & { path: { tokenId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/tokens/{tokenId}', input);

/**
 * Create a tenant
 *
 * `POST /admin/tenants`
 *
 * Without a plan it gets `scale`. `rateLimit` overrides the requests per minute of its plan. With `isTest` it is a test tenant, whose clock is moved with `POST /v3/clock/advance`.
 */
export const createTenant = (client: Client, input: CallOptions & { body: CreateTenantBody }): Promise<Tenant> =>
  call(client, 'POST', '/admin/tenants', input);

/**
 * List the tenants
 *
 * `GET /admin/tenants`
 *
 * The oldest first.
 */
export const listTenants = (client: Client, input: CallOptions = {}): Promise<Tenant[]> =>
  call(client, 'GET', '/admin/tenants', input);

/**
 * Update a tenant
 *
 * `PUT /admin/tenants/{tenantId}`
 *
 * Changes the given fields. `limits` changes the given limits of the tenant. With null the plan's limit applies again, as with `rateLimit: null`.
 */
export const updateTenant = (client: Client, input: CallOptions & { path: { tenantId: string }; body?: UpdateTenantBody | undefined }): Promise<Tenant> =>
  call(client, 'PUT', '/admin/tenants/{tenantId}', input);

/**
 * Delete a tenant
 *
 * `DELETE /admin/tenants/{tenantId}`
 *
 * Permanently, with all its data. A large tenant is hidden at once: its tokens are refused, and nothing more is sent or received. A job deletes its data.
 */
export const deleteTenant = (client: Client, input: CallOptions & { path: { tenantId: string } }): Promise<RemovalResult> =>
  call(client, 'DELETE', '/admin/tenants/{tenantId}', input);

/**
 * Create an access token for a tenant
 *
 * `POST /admin/tenants/{tenantId}/tokens`
 *
 * Like `POST /v3/tokens`; without `scopes` it has all rights.
 */
export const createTenantToken = (client: Client, input: CallOptions & { path: { tenantId: string }; body?: CreateTenantTokenBody | undefined }): Promise<CreatedToken> =>
  call(client, 'POST', '/admin/tenants/{tenantId}/tokens', input);

/**
 * Get the status of the installation
 *
 * `GET /admin/status`
 *
 * Versions, the size of the database, what is due in each queue and since when, the processes that work on it, and how much v2 is used. For monitoring use `/metrics`.
 */
export const getStatus = (client: Client, input: CallOptions = {}): Promise<InstallationStatus> =>
  call(client, 'GET', '/admin/status', input);

/**
 * Log in
 *
 * `POST /v3/session`
 *
 * Sets the session cookie. `totp_required` asks for the same request with a `code`. Ten wrong passwords for one address from one network, or thirty from one network, block further attempts for up to 15 minutes, and so do ten wrong codes of one person. An unknown address is answered like a wrong password.
 */
export const logIn = (client: Client, input: CallOptions & { body: LogInBody }): Promise<Session> =>
  call(client, 'POST', '/v3/session', input);

/**
 * Get who has logged in
 *
 * `GET /v3/session`
 *
 * The person, the tenants that the person belongs to, and what the person may do there.
 */
export const getSession = (client: Client, input: CallOptions = {}): Promise<Session> =>
  call(client, 'GET', '/v3/session', input);

/**
 * Log out
 *
 * `DELETE /v3/session`
 *
 * Ends the session, at once in this process and within five seconds in all others.
 */
export const logOut = (client: Client, input: CallOptions = {}): Promise<EndedSession> =>
  call(client, 'DELETE', '/v3/session', input);

/**
 * Get the ways to log in
 *
 * `GET /v3/session/methods`
 *
 * Whether there is a form for a password, and whether an identity provider is configured.
 */
export const getLoginMethods = (client: Client, input: CallOptions = {}): Promise<LoginMethods> =>
  call(client, 'GET', '/v3/session/methods', input);

/**
 * Ask for a new password
 *
 * `POST /v3/password_resets`
 *
 * Mails a link to set a new password, which works once, for a day. An address that nobody has is answered in the same way and time. Three requests for one address, or twenty from one network, block further ones for up to 15 minutes. Without a channel for mails nothing is sent, and the answer says so: an admin or the operator makes a link.
 */
export const requestPasswordReset = (client: Client, input: CallOptions & { body: RequestPasswordResetBody }): Promise<PasswordReset> =>
  call(client, 'POST', '/v3/password_resets', input);

/**
 * Log in with a link
 *
 * `POST /v3/session/link`
 *
 * Redeems an invitation, a link for a new password, or a first login, and sets the session cookie. A link works once. Somebody who has an account accepts an invitation with the session or the password of that account.
 */
export const redeemLink = (client: Client, input: CallOptions & { body: RedeemLinkBody }): Promise<Session> =>
  call(client, 'POST', '/v3/session/link', input);

/**
 * Get what a link is for
 *
 * `POST /v3/session/link/describe`
 *
 * Says what redeeming the link needs. The link keeps working.
 */
export const describeLink = (client: Client, input: CallOptions & { body: DescribeLinkBody }): Promise<LinkInfo> =>
  call(client, 'POST', '/v3/session/link/describe', input);

/**
 * Change the own name
 *
 * `PUT /v3/session/person`
 *
 * In every tenant that the person belongs to.
 */
export const updatePerson = (client: Client, input: CallOptions & { body: UpdatePersonBody }): Promise<Session> =>
  call(client, 'PUT', '/v3/session/person', input);

/**
 * Change the own password
 *
 * `POST /v3/session/password`
 *
 * All other sessions end, and this one gets a new cookie.
 */
export const changePassword = (client: Client, input: CallOptions & { body: ChangePasswordBody }): Promise<Session> =>
  call(client, 'POST', '/v3/session/password', input);

/**
 * List the own sessions
 *
 * `GET /v3/session/sessions`
 *
 * Where the person has logged in, the last used first.
 */
export const listSessions = (client: Client, input: CallOptions = {}): Promise<OwnSession[]> =>
  call(client, 'GET', '/v3/session/sessions', input);

/**
 * End one of the own sessions
 *
 * `DELETE /v3/session/sessions/{sessionId}`
 *
 * Its streams and requests end within five seconds in every process.
 */
export const revokeSession = (client: Client, input: CallOptions & { path: { sessionId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/session/sessions/{sessionId}', input);

/**
 * Prepare two-factor login
 *
 * `POST /v3/session/totp`
 *
 * Creates a secret for an authenticator app (TOTP, RFC 6238). It counts only after a code has confirmed it. Needs the password of somebody who has one.
 */
export const enrolTotp = (client: Client, input: CallOptions & { body?: EnrolTotpBody | undefined } = {}): Promise<NewTotp> =>
  call(client, 'POST', '/v3/session/totp', input);

/**
 * Switch two-factor login on
 *
 * `POST /v3/session/totp/confirm`
 *
 * With a code of the app. From then on the login asks for one.
 */
export const confirmTotp = (client: Client, input: CallOptions & { body: ConfirmTotpBody }): Promise<RecoveryCodes> =>
  call(client, 'POST', '/v3/session/totp/confirm', input);

/**
 * Switch two-factor login off
 *
 * `POST /v3/session/totp/disable`
 *
 * With a code of the app, or a recovery code.
 */
export const disableTotp = (client: Client, input: CallOptions & { body: DisableTotpBody }): Promise<Session> =>
  call(client, 'POST', '/v3/session/totp/disable', input);

/**
 * Invite somebody to log in as a user
 *
 * `POST /v3/users/{userId}/invitation`
 *
 * Returns a link that works once, for seven days, and mails one where a channel for mails is configured; an earlier one of the user stops working. The caller needs all rights of the role of the user.
 *
 * Requires the scope `users:write`.
 */
export const inviteUser = (client: Client, input: KeyedOptions & { path: { userId: string } }): Promise<PersonLink> =>
  create(client, '/v3/users/{userId}/invitation', input);

/**
 * Let a user set a new password
 *
 * `POST /v3/users/{userId}/password_reset`
 *
 * Returns a link that works once, for a day, and mails one where a channel for mails is configured. It ends earlier with a new password, with the membership, and when the person joins another tenant. The caller needs all rights of the role of the user. Somebody who belongs to other tenants too, or is an operator, gets a link from the operator only.
 *
 * Requires the scope `users:write`.
 */
export const resetUserPassword = (client: Client, input: KeyedOptions & { path: { userId: string } }): Promise<PersonLink> =>
  create(client, '/v3/users/{userId}/password_reset', input);

/**
 * Create a link to log in
 *
 * `POST /admin/login_links`
 *
 * The link works once, for a day. With the address of somebody who has an account it logs in as that person and switches two-factor login off; otherwise the person who opens it becomes an operator, and an owner of the first tenant.
 */
export const createLoginLink = (client: Client, input: CallOptions & { body?: CreateLoginLinkBody | undefined } = {}): Promise<PersonLink> =>
  call(client, 'POST', '/admin/login_links', input);

/**
 * Search entries of the audit log
 *
 * `POST /v3/audit_entries/search`
 *
 * Fields to filter and sort by: id, actor.type, actor.id, operation, targetId, address, requestId, createdAt.
 *
 * Requires the scope `audit:read`.
 */
export const searchAuditEntries = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<AuditEntry>> =>
  search(client, '/v3/audit_entries/search', input);

/**
 * Search the sessions of users
 *
 * `POST /v3/sessions/search`
 *
 * Fields to filter and sort by: id, userId, address, createdAt, lastSeenAt, expiresAt.
 *
 * Requires the scope `users:read`.
 *
 * People need the role `admin` or `owner`.
 */
export const searchSessions = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<UserSession>> =>
  search(client, '/v3/sessions/search', input);

/**
 * End a session of a user
 *
 * `DELETE /v3/sessions/{sessionId}`
 *
 * Its streams and requests end within five seconds in every process, in all tenants of the person. The caller needs all rights of the role of the user.
 *
 * Requires the scope `users:write`.
 */
export const revokeUserSession = (client: Client, input: CallOptions & { path: { sessionId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/sessions/{sessionId}', input);

/**
 * Move the clock of a test tenant
 *
 * `POST /v3/clock/advance`
 *
 * Moves the clock forward to a time (`to`) or by a duration (`by`), at most 366 days in one call. Everything that is due by then happens in order before the answer: waits and schedules of automations, campaigns, ends of snoozes, scheduled messages, retries of webhook deliveries, and what the sandbox reports and decides. Between two calls the clock stands still, and only what is due immediately happens. `{ "by": "PT0S" }` waits for that and returns the time of the clock. Other tenants get 409, and so does a call while the clock is moving to another time. Tokens, rate limits and idempotency keys use the time of day.
 *
 * Requires the scope `channels:write`.
 */
export const advanceClock = (client: Client, input: KeyedOptions & { body?: AdvanceClockBody | undefined } = {}): Promise<TestClock> =>
  create(client, '/v3/clock/advance', input);

/**
 * Create a channel
 *
 * `POST /v3/channels`
 *
 * A channel is a number, mailbox or account that customers write to. The provider `sandbox` simulates any vendor and needs no account.
 *
 * Requires the scope `channels:write`.
 */
export const createChannel = (client: Client, input: KeyedOptions & { body: CreateChannelBody }): Promise<Channel> =>
  create(client, '/v3/channels', input);

/**
 * List the kinds of channels
 *
 * `GET /v3/channel_kinds`
 *
 * What a channel of each kind and provider needs: the settings of `config` as a JSON schema, which of them are secrets, the steps to connect it, and where the guide is.
 *
 * Requires the scope `channels:read`.
 */
export const listChannelKinds = (client: Client, input: CallOptions = {}): Promise<ChannelKind[]> =>
  call(client, 'GET', '/v3/channel_kinds', input);

/**
 * Get how to connect a channel
 *
 * `GET /v3/channels/{channelId}/setup`
 *
 * The steps, with the URL and the verify token to enter at the vendor, and what has been seen so far. The verify token is a secret: it is null without `channels:write`.
 *
 * Requires the scope `channels:read`.
 */
export const getChannelSetup = (client: Client, input: CallOptions & { path: { channelId: string } }): Promise<ChannelSetupStep[]> =>
  call(client, 'GET', '/v3/channels/{channelId}/setup', input);

/**
 * Get a channel
 *
 * `GET /v3/channels/{channelId}`
 *
 * Returns the channel without its configuration, which may contain credentials.
 *
 * Requires the scope `channels:read`.
 */
export const getChannel = (client: Client, input: CallOptions & { path: { channelId: string } }): Promise<Channel> =>
  call(client, 'GET', '/v3/channels/{channelId}', input);

/**
 * Update a channel
 *
 * `PUT /v3/channels/{channelId}`
 *
 * Changes the given fields. `config` is merged into the stored settings, so that one credential can be changed without knowing the others. Kind and provider cannot be changed.
 *
 * Requires the scope `channels:write`.
 */
export const updateChannel = (client: Client, input: CallOptions & { path: { channelId: string }; body?: UpdateChannelBody | undefined }): Promise<Channel> =>
  call(client, 'PUT', '/v3/channels/{channelId}', input);

/**
 * Delete a channel
 *
 * `DELETE /v3/channels/{channelId}`
 *
 * Deletes the channel permanently, with its chats, their messages, and its message templates. Contacts stay. Webhooks that are limited to this channel receive nothing instead. A large channel is hidden at once and deleted by a job.
 *
 * Requires the scope `channels:write`.
 */
export const deleteChannel = (client: Client, input: CallOptions & { path: { channelId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<RemovalResult> =>
  call(client, 'DELETE', '/v3/channels/{channelId}', input);

/**
 * Search channels
 *
 * `POST /v3/channels/search`
 *
 * Fields to filter and sort by: id, kind, provider, name, address, optOutConfirmation, health, problem, createdAt, updatedAt.
 *
 * Requires the scope `channels:read`.
 */
export const searchChannels = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Channel>> =>
  search(client, '/v3/channels/search', input);

/**
 * Check a channel
 *
 * `POST /v3/channels/{channelId}/check`
 *
 * Returns everything that would keep the channel from working: each invalid setting by its path, and what the vendor answers when it is called with these credentials. Sends no message. A channel that was `unchecked` is `healthy` if there is no problem; any other `health` only depends on messages that are really sent. If the vendor accepts the credentials, its number or account belongs to this channel, and no other channel can be created for it.
 *
 * Requires the scope `channels:read`.
 */
export const checkChannel = (client: Client, input: KeyedOptions & { path: { channelId: string } }): Promise<ChannelCheck> =>
  create(client, '/v3/channels/{channelId}/check', input);

/**
 * Write as a customer
 *
 * `POST /v3/sandbox/{channelId}/inbound`
 *
 * Sends a message to a sandbox channel as a customer would. It is handled like every vendor request: signed, stored, and processed shortly after. Once answered, it cannot be lost.
 *
 * Requires the scope `channels:write`.
 */
export const writeInSandbox = (client: Client, input: KeyedOptions & { path: { channelId: string }; body: WriteInSandboxBody }): Promise<{
  /** The `vendorId` of the message */
  vendorId: string;
}> =>
  create(client, '/v3/sandbox/{channelId}/inbound', input);

/**
 * List accepted messages
 *
 * `GET /v3/sandbox/{channelId}/outbox`
 *
 * Returns the messages that were sent over a sandbox channel and accepted, each once, the oldest first. Recipients whose number, id or mailbox ends in 0001 cannot be reached, 0002 only accept templates, 0003 have opted out, 0004 are throttled twice; a mail to `bounce@…` bounces later. Refused messages are not listed. `limit` is 100 by default and at most 10000. A simulated phone asks for what was sent `to` its number `after` the last message that it knows.
 *
 * Requires the scope `channels:write`.
 */
export const readSandboxOutbox = (client: Client, input: CallOptions & { path: { channelId: string }; query?: {
  /** Maximum number of messages */
  limit?: number | undefined;
  /** Only those to this customer */
  to?: string | undefined;
  /** Only those after this message, by its id, or those after this time */
  after?: string | undefined;
} | undefined }): Promise<SandboxAccepted[]> =>
  call(client, 'GET', '/v3/sandbox/{channelId}/outbox', input);

/**
 * Read as a customer
 *
 * `POST /v3/sandbox/{channelId}/read`
 *
 * The customer opens the chat: what was sent to it and is not read yet is reported as read, by a request as the vendor sends it. The sandbox does that by itself for every message, unless the channel has `config.readsAutomatically: false`. Vendors of SMS and email report nothing, so nothing happens there.
 *
 * Requires the scope `channels:write`.
 */
export const readInSandbox = (client: Client, input: KeyedOptions & { path: { channelId: string }; body: ReadInSandboxBody }): Promise<{
  /** The messages that were read, at most 100 */
  messageIds: string[];
}> =>
  create(client, '/v3/sandbox/{channelId}/read', input);

/**
 * Show what a sandbox simulates
 *
 * `GET /v3/sandbox/{channelId}`
 *
 * Returns the failures that are turned on, how fast statuses come, and whether customers read by themselves. `POST /v3/sandbox/{channelId}/faults` changes the first, `config` of the channel the others.
 *
 * Requires the scope `channels:write`.
 */
export const getSandbox = (client: Client, input: CallOptions & { path: { channelId: string } }): Promise<SandboxSettings> =>
  call(client, 'GET', '/v3/sandbox/{channelId}', input);

/**
 * Simulate failures
 *
 * `POST /v3/sandbox/{channelId}/faults`
 *
 * Turns on failures that real vendors show now and then, for messages that are sent from now on. What is left out is turned off, so an empty body ends the simulation. Returns the current setting. Messages of customers follow it within three seconds.
 *
 * Requires the scope `channels:write`.
 */
export const setSandboxFaults = (client: Client, input: KeyedOptions & { path: { channelId: string }; body?: SetSandboxFaultsBody | undefined }): Promise<SandboxFaults> =>
  create(client, '/v3/sandbox/{channelId}/faults', input);

/**
 * Search vendors' requests to a channel that could not be processed
 *
 * `POST /v3/channels/{channelId}/failed_requests/search`
 *
 * Fields to filter and sort by: id, error, attempts, receivedAt.
 *
 * Requires the scope `channels:read`.
 */
export const searchFailedRequests = (client: Client, input: CallOptions & { path: { channelId: string }; body?: SearchBody | undefined }): Promise<Page<FailedRequest>> =>
  search(client, '/v3/channels/{channelId}/failed_requests/search', input);

/**
 * Process a vendor's request again
 *
 * `POST /v3/channels/{channelId}/failed_requests/{requestId}/replay`
 *
 * Queues the request with all its attempts, for example after an update of the server. What it had already changed is not changed twice.
 *
 * Requires the scope `channels:write`.
 */
export const replayFailedRequest = (client: Client, input: KeyedOptions & { path: {
  channelId: string;
  requestId: string;
} }): Promise<FailedRequest> =>
  create(client, '/v3/channels/{channelId}/failed_requests/{requestId}/replay', input);

/**
 * Delete a vendor's request that could not be processed
 *
 * `DELETE /v3/channels/{channelId}/failed_requests/{requestId}`
 *
 * Its content is lost. A request that is being processed again is not found.
 *
 * Requires the scope `channels:write`.
 */
export const deleteFailedRequest = (client: Client, input: CallOptions & { path: {
  channelId: string;
  requestId: string;
} }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/channels/{channelId}/failed_requests/{requestId}', input);

/**
 * Record what a contact has decided
 *
 * `POST /v3/contacts/{contactId}/consents`
 *
 * Subscribes the contact to kinds of channels, or unsubscribes it, with a proof that is kept. Whether marketing may be sent over a kind of channel is decided by its newest entry alone.
 *
 * Requires the scope `contacts:write`.
 */
export const recordConsent = (client: Client, input: KeyedOptions & { path: { contactId: string }; body: RecordConsentBody }): Promise<Contact> =>
  create(client, '/v3/contacts/{contactId}/consents', input);

/**
 * Search a contact's decisions
 *
 * `POST /v3/contacts/{contactId}/consents/search`
 *
 * Fields to filter and sort by: id, contactId, channelKind, status, source, at, createdAt.
 *
 * Requires the scope `contacts:read`.
 */
export const searchConsents = (client: Client, input: CallOptions & { path: { contactId: string }; body?: SearchBody | undefined }): Promise<Page<Consent>> =>
  search(client, '/v3/contacts/{contactId}/consents/search', input);

/**
 * Send to a handle again
 *
 * `DELETE /v3/contacts/{contactId}/handles/{handleId}/undeliverable`
 *
 * Forgets that nothing could be delivered to the handle. Until then nothing is sent there, unless the person writes from it.
 *
 * Requires the scope `contacts:write`.
 */
export const clearUndeliverable = (client: Client, input: CallOptions & { path: {
  contactId: string;
  handleId: string;
} }): Promise<Contact> =>
  call(client, 'DELETE', '/v3/contacts/{contactId}/handles/{handleId}/undeliverable', input);

/**
 * Create a contact
 *
 * `POST /v3/contacts`
 *
 * Needs at least a name or a handle. A handle belongs to one contact of the tenant: if another contact has it already, the `conflict` names that contact.
 *
 * Requires the scope `contacts:write`.
 */
export const createContact = (client: Client, input: KeyedOptions & { body?: CreateContactBody | undefined } = {}): Promise<Contact> =>
  create(client, '/v3/contacts', input);

/**
 * Search contacts
 *
 * `POST /v3/contacts/search`
 *
 * Fields to filter and sort by: id, createdAt, updatedAt, firstName, lastName, fullName, phoneNumber, email, language, timezone, isSubscribed, labelIds, attributes.<externalId>.
 *
 * Requires the scope `contacts:read`.
 */
export const searchContacts = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Contact>> =>
  search(client, '/v3/contacts/search', input);

/**
 * Download contacts
 *
 * `GET /v3/contacts/export.csv`
 *
 * Returns a CSV file with a line for each contact that matches `query` and `search`, or for every contact, in the order of creation, with a column for each attribute. A text that a spreadsheet could read as a formula is preceded by an apostrophe.
 *
 * Requires the scope `contacts:read`.
 *
 * People need the role `admin` or `owner`.
 */
export const exportContacts = (client: Client, input: CallOptions & { query?: {
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** A part of the resource's name, ignoring case, or an exact id. Blank text is ignored. */
  search?: string | undefined;
} | undefined } = {}): Promise<Response> =>
  download(client, '/v3/contacts/export.csv', input);

/**
 * Merge another contact into a contact
 *
 * `POST /v3/contacts/{contactId}/merge`
 *
 * Makes one contact of two that are the same person. Handles, chats, messages, notes, labels, attributes, consents and runs of `fromContactId` belong to `contactId` from then on, whose own values count where both have one. The other contact exists no more; this cannot be undone. The answer is the contact as it is then. With `dryRun` nothing is changed, and the answer is the contact as it would be. Needs access to all channels.
 *
 * Requires the scope `contacts:write`.
 */
export const mergeContacts = (client: Client, input: KeyedOptions & { path: { contactId: string }; body: MergeContactsBody }): Promise<MergedContact> =>
  create(client, '/v3/contacts/{contactId}/merge', input);

/**
 * Get a contact
 *
 * `GET /v3/contacts/{contactId}`
 *
 * With its handles, labels, attributes and chats.
 *
 * Requires the scope `contacts:read`.
 */
export const getContact = (client: Client, input: CallOptions & { path: { contactId: string } }): Promise<Contact> =>
  call(client, 'GET', '/v3/contacts/{contactId}', input);

/**
 * Update a contact
 *
 * `PUT /v3/contacts/{contactId}`
 *
 * Changes the given fields; null clears one, and one that is left out stays. `phoneNumber` and `email` set the primary handle of their type: the earlier one is removed, or kept as another handle if it has chats. `handles` and `labels` replace the whole list, `attributes` are merged. A handle that has chats cannot be removed, and a handle of another contact cannot be added (`conflict`).
 *
 * Requires the scope `contacts:write`.
 */
export const updateContact = (client: Client, input: CallOptions & { path: { contactId: string }; body?: UpdateContactBody | undefined }): Promise<Contact> =>
  call(client, 'PUT', '/v3/contacts/{contactId}', input);

/**
 * Delete a contact
 *
 * `DELETE /v3/contacts/{contactId}`
 *
 * Erases the contact permanently, with everything that is stored about it: handles, chats, messages, labels, values, and what events, deliveries, failed requests and stored answers contain about it. Deliveries about it that are still pending are not sent. If the person writes again, a new contact is created. A contact with thousands of messages is hidden at once and erased by a job.
 *
 * Requires the scope `contacts:delete`.
 */
export const deleteContact = (client: Client, input: CallOptions & { path: { contactId: string } }): Promise<RemovalResult> =>
  call(client, 'DELETE', '/v3/contacts/{contactId}', input);

/**
 * Get the timeline of a contact
 *
 * `GET /v3/contacts/{contactId}/timeline`
 *
 * What happened to the contact, the newest first: messages, chats, notes, labels, attributes, subscriptions, runs of automations, merges. It is read from the stored events, so it goes back as far as they do (`PARLEY_RETENTION_DAYS`). What campaigns sent is a message whose author is the campaign. Users who are restricted to teams see what happened in their channels, and to the contact itself.
 *
 * Requires the scope `contacts:read`.
 */
export const getContactTimeline = (client: Client, input: CallOptions & { path: { contactId: string }; query?: {
  /** The `nextCursor` of the page before; empty for the newest items */
  cursor?: number | undefined;
  /** How many items, at most 100; 25 by default */
  limit?: number | undefined;
} | undefined }): Promise<Page<TimelineItem>> =>
  list(client, '/v3/contacts/{contactId}/timeline', input);

/**
 * Add labels to a contact
 *
 * `POST /v3/contacts/{contactId}/labels`
 *
 * A label that the contact already has is not an error and publishes no event. If any of the labels does not exist, none is added.
 *
 * Requires the scope `contacts:write`.
 */
export const addContactLabels = (client: Client, input: KeyedOptions & { path: { contactId: string }; body: AddContactLabelsBody }): Promise<Contact> =>
  create(client, '/v3/contacts/{contactId}/labels', input);

/**
 * Remove a label from a contact
 *
 * `DELETE /v3/contacts/{contactId}/labels/{labelId}`
 *
 * A label that the contact does not have is not an error and publishes no event. Returns the contact.
 *
 * Requires the scope `contacts:write`.
 */
export const removeContactLabel = (client: Client, input: CallOptions & { path: {
  contactId: string;
  labelId: string;
} }): Promise<Contact> =>
  call(client, 'DELETE', '/v3/contacts/{contactId}/labels/{labelId}', input);

/**
 * Download everything about a contact
 *
 * `GET /v3/contacts/{contactId}/export`
 *
 * One JSON file with all that is stored about a person, for a request for access (GDPR, Article 15): the contact, consents, chats, messages, notes, runs, campaigns and events. Also needs `chats:read`, `messages:read`, `automations:read` and `campaigns:read`, and access to all channels. It is recorded in the audit log.
 *
 * Requires the scope `contacts:read`.
 *
 * People need the role `admin` or `owner`.
 */
export const exportContactData = (client: Client, input: CallOptions & { path: { contactId: string } }): Promise<ContactData> =>
  call(client, 'GET', '/v3/contacts/{contactId}/export', input);

/**
 * Create a label
 *
 * `POST /v3/labels`
 *
 * Names are unique in the tenant and not case-sensitive.
 *
 * Requires the scope `contacts:write`.
 */
export const createLabel = (client: Client, input: KeyedOptions & { body: CreateLabelBody }): Promise<Label> =>
  create(client, '/v3/labels', input);

/**
 * Search labels
 *
 * `POST /v3/labels/search`
 *
 * Fields to filter and sort by: id, name, color, createdAt, updatedAt.
 *
 * Requires the scope `contacts:read`.
 */
export const searchLabels = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Label>> =>
  search(client, '/v3/labels/search', input);

/**
 * Update a label
 *
 * `PUT /v3/labels/{labelId}`
 *
 * Changes the given fields; `color: null` removes the colour.
 *
 * Requires the scope `contacts:write`.
 */
export const updateLabel = (client: Client, input: CallOptions & { path: { labelId: string }; body?: UpdateLabelBody | undefined }): Promise<Label> =>
  call(client, 'PUT', '/v3/labels/{labelId}', input);

/**
 * Delete a label
 *
 * `DELETE /v3/labels/{labelId}`
 *
 * Also removes it from every contact that has it.
 *
 * Requires the scope `contacts:write`.
 */
export const deleteLabel = (client: Client, input: CallOptions & { path: { labelId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/labels/{labelId}', input);

/**
 * Save a filter of chats
 *
 * `POST /v3/views`
 *
 * A view is for the inbox. `query` and `sortBy` are checked as in `POST /v3/chats/search`; `me()` is the user who looks at the view.
 *
 * Requires the scope `chats:write`.
 */
export const createView = (client: Client, input: KeyedOptions & { body: CreateViewBody }): Promise<View> =>
  create(client, '/v3/views', input);

/**
 * Get a view
 *
 * `GET /v3/views/{viewId}`
 *
 * Views of other users that are not shared do not exist for the caller.
 *
 * Requires the scope `chats:read`.
 */
export const getView = (client: Client, input: CallOptions & { path: { viewId: string } }): Promise<View> =>
  call(client, 'GET', '/v3/views/{viewId}', input);

/**
 * Update a view
 *
 * `PUT /v3/views/{viewId}`
 *
 * Changes the given fields. Users change their own views; admins also those of others.
 *
 * Requires the scope `chats:write`.
 */
export const updateView = (client: Client, input: CallOptions & { path: { viewId: string }; body?: UpdateViewBody | undefined }): Promise<View> =>
  call(client, 'PUT', '/v3/views/{viewId}', input);

/**
 * Delete a view
 *
 * `DELETE /v3/views/{viewId}`
 *
 * Its chats stay.
 *
 * Requires the scope `chats:write`.
 */
export const deleteView = (client: Client, input: CallOptions & { path: { viewId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/views/{viewId}', input);

/**
 * Search views that the caller sees
 *
 * `POST /v3/views/search`
 *
 * Fields to filter and sort by: id, userId, name, query, sortBy, isShared, createdAt, updatedAt.
 *
 * Requires the scope `chats:read`.
 */
export const searchViews = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<View>> =>
  search(client, '/v3/views/search', input);

/**
 * Create a saved reply
 *
 * `POST /v3/saved_replies`
 *
 * Shortcuts are unique in the tenant and not case-sensitive.
 *
 * Requires the scope `chats:write`.
 */
export const createSavedReply = (client: Client, input: KeyedOptions & { body: CreateSavedReplyBody }): Promise<SavedReply> =>
  create(client, '/v3/saved_replies', input);

/**
 * Get a saved reply
 *
 * `GET /v3/saved_replies/{savedReplyId}`
 *
 * Returns the text as it was saved.
 *
 * Requires the scope `chats:read`.
 */
export const getSavedReply = (client: Client, input: CallOptions & { path: { savedReplyId: string } }): Promise<SavedReply> =>
  call(client, 'GET', '/v3/saved_replies/{savedReplyId}', input);

/**
 * Update a saved reply
 *
 * `PUT /v3/saved_replies/{savedReplyId}`
 *
 * Changes the given fields.
 *
 * Requires the scope `chats:write`.
 */
export const updateSavedReply = (client: Client, input: CallOptions & { path: { savedReplyId: string }; body?: UpdateSavedReplyBody | undefined }): Promise<SavedReply> =>
  call(client, 'PUT', '/v3/saved_replies/{savedReplyId}', input);

/**
 * Delete a saved reply
 *
 * `DELETE /v3/saved_replies/{savedReplyId}`
 *
 * Messages that were sent with it stay.
 *
 * Requires the scope `chats:write`.
 */
export const deleteSavedReply = (client: Client, input: CallOptions & { path: { savedReplyId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/saved_replies/{savedReplyId}', input);

/**
 * Search saved replies
 *
 * `POST /v3/saved_replies/search`
 *
 * Fields to filter and sort by: id, shortcut, text, createdAt, updatedAt.
 *
 * Requires the scope `chats:read`.
 */
export const searchSavedReplies = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<SavedReply>> =>
  search(client, '/v3/saved_replies/search', input);

/**
 * Render a saved reply for a chat
 *
 * `POST /v3/saved_replies/{savedReplyId}/render`
 *
 * Returns the text with the values of the contact and of the user who calls, to be changed and sent.
 *
 * Requires the scope `chats:read`.
 */
export const renderSavedReply = (client: Client, input: CallOptions & { path: { savedReplyId: string }; body: RenderSavedReplyBody }): Promise<RenderedReply> =>
  call(client, 'POST', '/v3/saved_replies/{savedReplyId}/render', input);

/**
 * Create a contact attribute
 *
 * `POST /v3/attributes`
 *
 * A field that contacts can have in addition to names and handles. `externalId` is unique in the tenant.
 *
 * Requires the scope `attributes:write`.
 */
export const createAttribute = (client: Client, input: KeyedOptions & { body: CreateAttributeBody }): Promise<Attribute> =>
  create(client, '/v3/attributes', input);

/**
 * Search contact attributes
 *
 * `POST /v3/attributes/search`
 *
 * Fields to filter and sort by: id, name, externalId, type, description, isVisibleQuickEdit, isVisibleContactsTable, isVisibleContactCreate, createdAt, updatedAt.
 *
 * Requires the scope `attributes:read`.
 */
export const searchAttributes = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Attribute>> =>
  search(client, '/v3/attributes/search', input);

/**
 * Update a contact attribute
 *
 * `PUT /v3/attributes/{attributeId}`
 *
 * Changes the given fields. `externalId` and `type` cannot be changed, because values depend on them.
 *
 * Requires the scope `attributes:write`.
 */
export const updateAttribute = (client: Client, input: CallOptions & { path: { attributeId: string }; body?: UpdateAttributeBody | undefined }): Promise<Attribute> =>
  call(client, 'PUT', '/v3/attributes/{attributeId}', input);

/**
 * Delete a contact attribute
 *
 * `DELETE /v3/attributes/{attributeId}`
 *
 * Also deletes its values on every contact.
 *
 * Requires the scope `attributes:write`.
 */
export const deleteAttribute = (client: Client, input: CallOptions & { path: { attributeId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/attributes/{attributeId}', input);

/**
 * Start a chat
 *
 * `POST /v3/chats`
 *
 * Returns the chat with the contact on the channel, and creates it if it does not exist. An existing chat is not changed. The contact needs a handle that fits the channel: a phone number on WhatsApp and SMS, an email address, an Instagram id.
 *
 * Requires the scope `chats:write`.
 */
export const createChat = (client: Client, input: KeyedOptions & { body: CreateChatBody }): Promise<Chat> =>
  create(client, '/v3/chats', input);

/**
 * Search chats
 *
 * `POST /v3/chats/search`
 *
 * Fields to filter and sort by: id, status, channelId, contactId, assignedUserId, assignedTeamId, isUnread, isAutomationPaused, snoozedUntil, unreadCount, waitingSince, firstRespondedAt, closedAt, openUntil, latestMessageAt, createdAt, updatedAt, labelIds.
 *
 * Requires the scope `chats:read`.
 */
export const searchChats = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Chat>> =>
  search(client, '/v3/chats/search', input);

/**
 * Count chats
 *
 * `POST /v3/chats/counts`
 *
 * Counts the chats of several filters in one request, for the views of an inbox. Restricted users count what they see.
 *
 * Requires the scope `chats:read`.
 */
export const countChats = (client: Client, input: CallOptions & { body: CountChatsBody }): Promise<ChatCount[]> =>
  call(client, 'POST', '/v3/chats/counts', input);

/**
 * Download chats
 *
 * `GET /v3/chats/export.csv`
 *
 * Returns a CSV file with a line for each chat that matches `query` and `search`, or for every chat, in the order of creation. Users who are restricted to teams get those of their channels. A text that a spreadsheet could read as a formula is preceded by an apostrophe.
 *
 * Requires the scope `chats:read`.
 *
 * People need the role `admin` or `owner`.
 */
export const exportChats = (client: Client, input: CallOptions & { query?: {
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** A part of the resource's name, ignoring case, or an exact id. Blank text is ignored. */
  search?: string | undefined;
} | undefined } = {}): Promise<Response> =>
  download(client, '/v3/chats/export.csv', input);

/**
 * Get a chat
 *
 * `GET /v3/chats/{chatId}`
 *
 * Returns the chat with its contact, its handle and its latest message.
 *
 * Requires the scope `chats:read`.
 */
export const getChat = (client: Client, input: CallOptions & { path: { chatId: string } }): Promise<Chat> =>
  call(client, 'GET', '/v3/chats/{chatId}', input);

/**
 * Delete a chat
 *
 * `DELETE /v3/chats/{chatId}`
 *
 * Deletes the chat with its messages permanently. The contact stays; the next message from it creates a new chat.
 *
 * Requires the scope `chats:delete`.
 */
export const deleteChat = (client: Client, input: CallOptions & { path: { chatId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/chats/{chatId}', input);

/**
 * Update a chat
 *
 * `PUT /v3/chats/{chatId}`
 *
 * Sets whether the chat is sensitive. Texts and media of a sensitive chat are left out of events and logs; only the API returns them.
 *
 * Requires the scope `chats:write`.
 */
export const updateChat = (client: Client, input: CallOptions & { path: { chatId: string }; body: UpdateChatBody }): Promise<Chat> =>
  call(client, 'PUT', '/v3/chats/{chatId}', input);

/**
 * Close, snooze or open a chat
 *
 * `POST /v3/chats/{chatId}/status`
 *
 * Closes the chat if `status` is left out. Setting the status that the chat has is not an error and has no event. A snoozed chat opens by itself at `snoozedUntil`; every chat opens when its customer writes.
 *
 * Requires the scope `chats:write`.
 */
export const setChatStatus = (client: Client, input: KeyedOptions & { path: { chatId: string }; body?: SetChatStatusBody | undefined }): Promise<Chat> =>
  create(client, '/v3/chats/{chatId}/status', input);

/**
 * Mark a chat as read or unread
 *
 * `POST /v3/chats/{chatId}/read`
 *
 * Marking it as read sets `unreadCount` to 0; `isUnread: true` marks it as unread and keeps the count. With `userId` a person has read it: on WhatsApp and Instagram the contact then sees that its messages were read, shortly after and as far as the vendor takes it.
 *
 * Requires the scope `chats:write`.
 */
export const markChat = (client: Client, input: KeyedOptions & { path: { chatId: string }; body?: MarkChatBody | undefined }): Promise<Chat> =>
  create(client, '/v3/chats/{chatId}/read', input);

/**
 * Show that somebody looks at a chat or types
 *
 * `POST /v3/chats/{chatId}/presence`
 *
 * Colleagues who may see the chat get the stream-only event `chat.presence`. `viewing` counts for 45 seconds and `typing` for 10, or until `left`: repeat it before that. The same state within two seconds is sent once. With `typing` the contact also sees that a person types, on WhatsApp for 25 seconds or until the next message, on Instagram also until `left`, as far as the vendor takes it. Nothing is stored.
 *
 * Requires the scope `chats:write`.
 */
export const setChatPresence = (client: Client, input: CallOptions & { path: { chatId: string }; body: SetChatPresenceBody }): Promise<ChatPresence> =>
  call(client, 'POST', '/v3/chats/{chatId}/presence', input);

/**
 * Assign a chat
 *
 * `POST /v3/chats/{chatId}/assignment`
 *
 * Assigns the chat to a user, a team, or both. Null removes an assignment; a field that is left out is not changed. Assigning it to a user ends what automations wait for in the chat, and none starts because the contact writes or the chat opens until the assignment ends.
 *
 * Requires the scope `chats:write`.
 */
export const assignChat = (client: Client, input: KeyedOptions & { path: { chatId: string }; body?: AssignChatBody | undefined }): Promise<Chat> =>
  create(client, '/v3/chats/{chatId}/assignment', input);

/**
 * Pause or resume automations in a chat
 *
 * `POST /v3/chats/{chatId}/automation`
 *
 * While automations are paused, none starts because the contact writes or the chat opens, not even one with `evenIfAssigned`. Pausing also ends what automations wait for in the chat. Resuming lets them start again although the chat is assigned to a user. Closing the chat or assigning it to another user ends what was set here.
 *
 * Requires the scope `chats:write`.
 */
export const pauseChatAutomation = (client: Client, input: KeyedOptions & { path: { chatId: string }; body: PauseChatAutomationBody }): Promise<Chat> =>
  create(client, '/v3/chats/{chatId}/automation', input);

/**
 * Create a message template
 *
 * `POST /v3/message_templates`
 *
 * A template is a text with variables, `{{name}}` or `{{1}}`, that can be sent at any time, even when free-form messages are not allowed. If the vendor reviews templates, as WhatsApp does, it is `pending` until the vendor has decided; otherwise it is `approved` immediately. A WhatsApp channel in the sandbox decides after its `statusDelayMs`: names with `reject` are rejected, all others approved.
 *
 * Requires the scope `templates:write`.
 */
export const createMessageTemplate = (client: Client, input: KeyedOptions & { body: CreateMessageTemplateBody }): Promise<MessageTemplate> =>
  create(client, '/v3/message_templates', input);

/**
 * Get a message template
 *
 * `GET /v3/message_templates/{messageTemplateId}`
 *
 * Returns the template with the list of its variables.
 *
 * Requires the scope `templates:read`.
 */
export const getMessageTemplate = (client: Client, input: CallOptions & { path: { messageTemplateId: string } }): Promise<MessageTemplate> =>
  call(client, 'GET', '/v3/message_templates/{messageTemplateId}', input);

/**
 * Update a message template
 *
 * `PUT /v3/message_templates/{messageTemplateId}`
 *
 * Changes the given fields; `header: null` and `footer: null` remove them, `buttons` replaces all buttons. The channel cannot be changed. If the vendor reviews templates, name and language cannot be changed either, and the template is `pending` again until the vendor has decided; a rejected one is submitted again.
 *
 * Requires the scope `templates:write`.
 */
export const updateMessageTemplate = (client: Client, input: CallOptions & { path: { messageTemplateId: string }; body?: UpdateMessageTemplateBody | undefined }): Promise<MessageTemplate> =>
  call(client, 'PUT', '/v3/message_templates/{messageTemplateId}', input);

/**
 * Delete a message template
 *
 * `DELETE /v3/message_templates/{messageTemplateId}`
 *
 * Deletes the template permanently, and shortly after at the vendor, there in this language only. References to it, such as steps of automations, are not changed.
 *
 * Requires the scope `templates:write`.
 */
export const deleteMessageTemplate = (client: Client, input: CallOptions & { path: { messageTemplateId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/message_templates/{messageTemplateId}', input);

/**
 * Search message templates
 *
 * `POST /v3/message_templates/search`
 *
 * Fields to filter and sort by: id, channelId, name, language, category, status, rejectionReason, problem, quality, vendorId, body, footer, createdAt, updatedAt.
 *
 * Requires the scope `templates:read`.
 */
export const searchMessageTemplates = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<MessageTemplate>> =>
  search(client, '/v3/message_templates/search', input);

/**
 * Sync message templates with the vendor
 *
 * `POST /v3/message_templates/sync`
 *
 * Reads all templates of a channel from the vendor: missing ones are created here, different ones are changed, and those that the vendor no longer has are `disabled`. Templates that are still being submitted are not changed. Templates with parts that cannot be used here are left out and named in `leftOut`. If the vendor has no templates of its own, nothing changes.
 *
 * Requires the scope `templates:write`.
 */
export const syncMessageTemplates = (client: Client, input: KeyedOptions & { body: SyncMessageTemplatesBody }): Promise<TemplateSync> =>
  create(client, '/v3/message_templates/sync', input);

/**
 * Send a message in a chat
 *
 * `POST /v3/chats/{chatId}/messages`
 *
 * Sends a text, files, a template, something to choose or open (`interactive`), a reaction, a location, contacts or a mail. What the kind of channel does not support is refused with every issue at its parameter, and so is what the state of the chat forbids, such as a free-form message after `openUntil`. Returns the message as `queued`. It is sent once, shortly after, in the order of the chat; `message.sent`, `.delivered`, `.read` and `.failed` report its progress. With `scheduledAt` it is sent at that time, and checked again then. A reply marks the chat as read.
 *
 * Requires the scope `messages:write`.
 */
export const sendChatMessage = (client: Client, input: KeyedOptions & { path: { chatId: string }; body?: SendChatMessageBody | undefined }): Promise<Message> =>
  create(client, '/v3/chats/{chatId}/messages', input);

/**
 * Send a message
 *
 * `POST /v3/messages`
 *
 * The recipient is a contact, or with `to` a phone number, address or id; a missing contact or chat is created. Sends a text, files, a template, something to choose or open (`interactive`), a reaction, a location, contacts or a mail. What the kind of channel does not support is refused with every issue at its parameter, and so is what the state of the chat forbids, such as a free-form message after `openUntil`. Returns the message as `queued`. It is sent once, shortly after, in the order of the chat; `message.sent`, `.delivered`, `.read` and `.failed` report its progress. With `scheduledAt` it is sent at that time, and checked again then.
 *
 * Requires the scope `messages:write`.
 */
export const sendMessage = (client: Client, input: KeyedOptions & { body: SendMessageBody }): Promise<Message> =>
  create(client, '/v3/messages', input);

/**
 * Get a message
 *
 * `GET /v3/messages/{messageId}`
 *
 * Returns the content of the message, its author and its status.
 *
 * Requires the scope `messages:read`.
 */
export const getMessage = (client: Client, input: CallOptions & { path: { messageId: string } }): Promise<Message> =>
  call(client, 'GET', '/v3/messages/{messageId}', input);

/**
 * Cancel a scheduled message
 *
 * `DELETE /v3/messages/{messageId}`
 *
 * Deletes a message whose `scheduledAt` has not come. One that was sent, or is being sent, is a conflict.
 *
 * Requires the scope `messages:write`.
 */
export const cancelMessage = (client: Client, input: CallOptions & { path: { messageId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/messages/{messageId}', input);

/**
 * Show a mail as its sender made it
 *
 * `GET /v3/messages/{messageId}/original`
 *
 * A page with the HTML of the mail, for a frame: it runs no script and loads nothing, so pictures on other servers are missing. It contains the pictures that came with the mail. Of a message without HTML it is the text.
 *
 * Requires the scope `messages:read`.
 */
export const getOriginalMessage = (client: Client, input: CallOptions & { path: { messageId: string } }): Promise<Response> =>
  download(client, '/v3/messages/{messageId}/original', input);

/**
 * Search messages
 *
 * `POST /v3/messages/search`
 *
 * Fields to filter and sort by: id, chatId, channelId, contactId, vendorId, sender, authorType, authorId, isAutomatic, campaignId, type, status, text, timestamp, createdAt, updatedAt.
 *
 * Requires the scope `messages:read`.
 */
export const searchMessages = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Message>> =>
  search(client, '/v3/messages/search', input);

/**
 * Search a chat's messages
 *
 * `POST /v3/chats/{chatId}/messages/search`
 *
 * Fields to filter and sort by: id, chatId, channelId, contactId, vendorId, sender, authorType, authorId, isAutomatic, campaignId, type, status, text, timestamp, createdAt, updatedAt.
 *
 * Requires the scope `messages:read`.
 */
export const searchChatMessages = (client: Client, input: CallOptions & { path: { chatId: string }; body?: SearchBody | undefined }): Promise<Page<Message>> =>
  search(client, '/v3/chats/{chatId}/messages/search', input);

/**
 * Write a note about a chat
 *
 * `POST /v3/chats/{chatId}/notes`
 *
 * Colleagues see the note next to the messages. It is never sent to the contact, is no reply, and does not change the chat.
 *
 * Requires the scope `chats:write`.
 */
export const createNote = (client: Client, input: KeyedOptions & { path: { chatId: string }; body: CreateNoteBody }): Promise<Note> =>
  create(client, '/v3/chats/{chatId}/notes', input);

/**
 * Search a chat's notes
 *
 * `POST /v3/chats/{chatId}/notes/search`
 *
 * Fields to filter and sort by: id, chatId, channelId, contactId, text, authorType, authorId, createdAt, updatedAt.
 *
 * Requires the scope `chats:read`.
 */
export const searchNotes = (client: Client, input: CallOptions & { path: { chatId: string }; body?: SearchBody | undefined }): Promise<Page<Note>> =>
  search(client, '/v3/chats/{chatId}/notes/search', input);

/**
 * Update a note
 *
 * `PUT /v3/notes/{noteId}`
 *
 * Changes the given fields. The author stays.
 *
 * Requires the scope `chats:write`.
 */
export const updateNote = (client: Client, input: CallOptions & { path: { noteId: string }; body?: UpdateNoteBody | undefined }): Promise<Note> =>
  call(client, 'PUT', '/v3/notes/{noteId}', input);

/**
 * Delete a note
 *
 * `DELETE /v3/notes/{noteId}`
 *
 * Deletes the note permanently.
 *
 * Requires the scope `chats:write`.
 */
export const deleteNote = (client: Client, input: CallOptions & { path: { noteId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/notes/{noteId}', input);

/**
 * Search the own notifications
 *
 * `POST /v3/notifications/search`
 *
 * Fields to filter and sort by: id, type, chatId, channelId, teamId, noteId, messageId, count, isRead, readAt, createdAt, updatedAt.
 */
export const searchNotifications = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Notification> & {
  /** How many are unread now */
  unreadCount: number;
}> =>
  search(client, '/v3/notifications/search', input);

/**
 * Mark own notifications as read
 *
 * `POST /v3/notifications/read`
 *
 * Marks the notifications in `ids`, or all of them. Those that are read already, belong to others or are gone are ignored. A token has no notifications.
 */
export const readNotifications = (client: Client, input: KeyedOptions & { body?: ReadNotificationsBody | undefined } = {}): Promise<UnreadNotifications> =>
  create(client, '/v3/notifications/read', input);

/**
 * Create a webhook
 *
 * `POST /v3/api_webhooks`
 *
 * Events are POSTed to `url`, signed according to Standard Webhooks with the `secret` of this answer. An entry of `events` without `type` matches every event; one without `scopes` matches every channel. The token also needs `events:read`, or the read scope of each resource whose events are subscribed to, such as `messages:read`.
 *
 * Requires the scope `webhooks:write`.
 */
export const createApiWebhook = (client: Client, input: KeyedOptions & { body: CreateApiWebhookBody }): Promise<CreatedApiWebhook> =>
  create(client, '/v3/api_webhooks', input);

/**
 * Get a webhook
 *
 * `GET /v3/api_webhooks/{webhookId}`
 *
 * Without its secret.
 *
 * Requires the scope `webhooks:read`.
 */
export const getApiWebhook = (client: Client, input: CallOptions & { path: { webhookId: string } }): Promise<ApiWebhook> =>
  call(client, 'GET', '/v3/api_webhooks/{webhookId}', input);

/**
 * Update a webhook
 *
 * `PUT /v3/api_webhooks/{webhookId}`
 *
 * Changes the given fields; `events` replaces the whole list. `status: inactive` pauses the webhook: no new deliveries are created, and pending ones are sent when it is active again. `status: active` also reactivates a webhook that was disabled.
 *
 * Requires the scope `webhooks:write`.
 */
export const updateApiWebhook = (client: Client, input: CallOptions & { path: { webhookId: string }; body?: UpdateApiWebhookBody | undefined }): Promise<ApiWebhook> =>
  call(client, 'PUT', '/v3/api_webhooks/{webhookId}', input);

/**
 * Delete a webhook
 *
 * `DELETE /v3/api_webhooks/{webhookId}`
 *
 * Its pending deliveries are cancelled.
 *
 * Requires the scope `webhooks:write`.
 */
export const deleteApiWebhook = (client: Client, input: CallOptions & { path: { webhookId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/api_webhooks/{webhookId}', input);

/**
 * Search webhooks
 *
 * `POST /v3/api_webhooks/search`
 *
 * Fields to filter and sort by: id, url, status, createdAt, updatedAt.
 *
 * Requires the scope `webhooks:read`.
 */
export const searchApiWebhooks = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<ApiWebhook>> =>
  search(client, '/v3/api_webhooks/search', input);

/**
 * Send a test event
 *
 * `POST /v3/api_webhooks/{webhookId}/test`
 *
 * Sends `webhook.test` to this webhook only, independent of its subscriptions, signed and retried like every event. Get the returned delivery to see the result.
 *
 * Requires the scope `webhooks:write`.
 */
export const testApiWebhook = (client: Client, input: KeyedOptions & { path: { webhookId: string } }): Promise<WebhookDelivery> =>
  create(client, '/v3/api_webhooks/{webhookId}/test', input);

/**
 * Rotate the secret of a webhook
 *
 * `POST /v3/api_webhooks/{webhookId}/rotate_secret`
 *
 * Returns the new secret, which cannot be read again. For 24 hours every delivery has two signatures, by the new secret and by the previous one. A second rotation within that time ends the first.
 *
 * Requires the scope `webhooks:write`.
 */
export const rotateApiWebhookSecret = (client: Client, input: KeyedOptions & { path: { webhookId: string } }): Promise<RotatedApiWebhook> =>
  create(client, '/v3/api_webhooks/{webhookId}/rotate_secret', input);

/**
 * Send missed events
 *
 * `POST /v3/api_webhooks/{webhookId}/recover`
 *
 * Makes due, in order, every event from `since` on that matches the present subscriptions of this webhook and that it has not received: failed and cancelled deliveries, and events that were published while it was paused, disabled or not created yet. One call recovers up to 10,000; continue with `nextSince` until that is null.
 *
 * Requires the scope `webhooks:write`.
 */
export const recoverApiWebhook = (client: Client, input: KeyedOptions & { path: { webhookId: string }; body: RecoverApiWebhookBody }): Promise<RecoveryResult> =>
  create(client, '/v3/api_webhooks/{webhookId}/recover', input);

/**
 * Search the deliveries of a webhook
 *
 * `POST /v3/api_webhooks/{webhookId}/deliveries/search`
 *
 * Fields to filter and sort by: id, eventType, status, createdAt, updatedAt.
 *
 * Requires the scope `webhooks:read`.
 */
export const searchWebhookDeliveries = (client: Client, input: CallOptions & { path: { webhookId: string }; body?: SearchBody | undefined }): Promise<Page<WebhookDelivery>> =>
  search(client, '/v3/api_webhooks/{webhookId}/deliveries/search', input);

/**
 * Get a delivery with its attempts
 *
 * `GET /v3/webhook_deliveries/{deliveryId}`
 *
 * For each attempt: the request, the response, how long each part took, or why the attempt failed. `requestBody` is null if the token may not read the event: that needs `events:read`, or the read scope of its resource.
 *
 * Requires the scope `webhooks:read`.
 */
export const getWebhookDelivery = (client: Client, input: CallOptions & { path: { deliveryId: string } }): Promise<WebhookDeliveryWithAttempts> =>
  call(client, 'GET', '/v3/webhook_deliveries/{deliveryId}', input);

/**
 * Send a delivery again
 *
 * `POST /v3/webhook_deliveries/{deliveryId}/retry`
 *
 * Makes a delivery that has ended, successfully or not, due again now: with the same `webhook-id`, the same body and all attempts of the schedule.
 *
 * Requires the scope `webhooks:write`.
 */
export const retryWebhookDelivery = (client: Client, input: KeyedOptions & { path: { deliveryId: string } }): Promise<WebhookDelivery> =>
  create(client, '/v3/webhook_deliveries/{deliveryId}/retry', input);

/**
 * Search the deliveries of all webhooks
 *
 * `POST /v3/webhook_deliveries/search`
 *
 * Fields to filter and sort by: id, eventType, status, createdAt, updatedAt, webhookId, eventId, responseStatus.
 *
 * Requires the scope `webhooks:read`.
 */
export const searchAllWebhookDeliveries = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<FoundDelivery>> =>
  search(client, '/v3/webhook_deliveries/search', input);

/**
 * Send many deliveries again
 *
 * `POST /v3/api_webhooks/{webhookId}/deliveries/retry`
 *
 * Makes the deliveries of the webhook that match `query` and have ended due again, with the same `webhook-id` and body and all attempts of the schedule. Which ones is chosen at the moment of the request, at most 100,000. The job is done when all are due; they are then sent in their order.
 *
 * Requires the scope `webhooks:write`.
 */
export const retryWebhookDeliveries = (client: Client, input: KeyedOptions & { path: { webhookId: string }; body: RetryWebhookDeliveriesBody }): Promise<StartedJob> =>
  create(client, '/v3/api_webhooks/{webhookId}/deliveries/retry', input);

/**
 * Get statistics of a webhook
 *
 * `GET /v3/api_webhooks/{webhookId}/stats`
 *
 * How many deliveries were created per hour or day (in UTC), what became of them, and how long the last attempt of each took: half of them at most `p50Ms`, 95 % at most `p95Ms`. The last 24 hours or 30 days by default, at most 200 intervals.
 *
 * Requires the scope `webhooks:read`.
 */
export const getApiWebhookStats = (client: Client, input: CallOptions & { path: { webhookId: string }; query?: {
  /** `hour` by default */
  interval?: "hour" | "day" | undefined;
  /** The beginning of the interval that contains it is the first */
  from?: string | undefined;
  /** Now by default */
  to?: string | undefined;
} | undefined }): Promise<WebhookStats> =>
  call(client, 'GET', '/v3/api_webhooks/{webhookId}/stats', input);

/**
 * Search events
 *
 * `POST /v3/events/search`
 *
 * Fields to filter and sort by: id, type, channelId, contactId, chatId, text, sequence, createdAt.
 *
 * Requires the scope `events:read`.
 */
export const searchEvents = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Event>> =>
  search(client, '/v3/events/search', input);

/**
 * Trace causes and consequences
 *
 * `GET /v3/trace/{traceId}`
 *
 * Shows what caused a message, an event, a run, a delivery or a request of a vendor, and what followed from it: a received message, its events, the deliveries and runs of those, what the runs sent, and what became of it. A reply leads to the run that went on with it. At most 200 things, six deep. Texts of messages need `messages:read`, and deliveries `webhooks:read`.
 *
 * Requires the scope `automations:read`.
 */
export const getTrace = (client: Client, input: CallOptions & { path: { traceId: string } }): Promise<Trace> =>
  call(client, 'GET', '/v3/trace/{traceId}', input);

/**
 * Create a user
 *
 * `POST /v3/users`
 *
 * Somebody who answers chats, or manages those who do. To let the user log in, create an invitation. Only owners create owners.
 *
 * Requires the scope `users:write`.
 */
export const createUser = (client: Client, input: KeyedOptions & { body: CreateUserBody }): Promise<User> =>
  create(client, '/v3/users', input);

/**
 * Search users
 *
 * `POST /v3/users/search`
 *
 * Fields to filter and sort by: id, name, email, role, access, isAway, hasLogin, createdAt, updatedAt.
 *
 * Requires the scope `users:read`.
 */
export const searchUsers = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<User>> =>
  search(client, '/v3/users/search', input);

/**
 * Get a user
 *
 * `GET /v3/users/{userId}`
 *
 * Name, email, role, and whether somebody can log in as this user.
 *
 * Requires the scope `users:read`.
 */
export const getUser = (client: Client, input: CallOptions & { path: { userId: string } }): Promise<User> =>
  call(client, 'GET', '/v3/users/{userId}', input);

/**
 * Update a user
 *
 * `PUT /v3/users/{userId}`
 *
 * Changes the given fields. To change a user who can log in, the caller needs all rights of the role, before and after. The last owner who can log in stays an owner.
 *
 * Requires the scope `users:write`.
 */
export const updateUser = (client: Client, input: CallOptions & { path: { userId: string }; body?: UpdateUserBody | undefined }): Promise<User> =>
  call(client, 'PUT', '/v3/users/{userId}', input);

/**
 * Delete a user
 *
 * `DELETE /v3/users/{userId}`
 *
 * Also removes the user from every team; chats assigned to the user become unassigned. The person who logs in as the user loses access to the tenant within five seconds. The last owner who can log in is not deleted.
 *
 * Requires the scope `users:write`.
 */
export const deleteUser = (client: Client, input: CallOptions & { path: { userId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/users/{userId}', input);

/**
 * Say whether you are away
 *
 * `PUT /v3/me/availability`
 *
 * Somebody who is away gets no chats in turn. Chats that are assigned already stay. A person who has logged in says it of themselves, a token of the user `userId`.
 *
 * Requires the scope `chats:write`.
 */
export const updateOwnAvailability = (client: Client, input: CallOptions & { body: UpdateOwnAvailabilityBody }): Promise<User> =>
  call(client, 'PUT', '/v3/me/availability', input);

/**
 * Create a team
 *
 * `POST /v3/teams`
 *
 * Chats can be assigned to a team. Names are unique in the tenant and not case-sensitive.
 *
 * Requires the scope `users:write`.
 */
export const createTeam = (client: Client, input: KeyedOptions & { body: CreateTeamBody }): Promise<Team> =>
  create(client, '/v3/teams', input);

/**
 * Search teams
 *
 * `POST /v3/teams/search`
 *
 * Fields to filter and sort by: id, name, createdAt, updatedAt.
 *
 * Requires the scope `users:read`.
 */
export const searchTeams = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Team>> =>
  search(client, '/v3/teams/search', input);

/**
 * Get a team
 *
 * `GET /v3/teams/{teamId}`
 *
 * Its name, its members and its channels.
 *
 * Requires the scope `users:read`.
 */
export const getTeam = (client: Client, input: CallOptions & { path: { teamId: string } }): Promise<Team> =>
  call(client, 'GET', '/v3/teams/{teamId}', input);

/**
 * Update a team
 *
 * `PUT /v3/teams/{teamId}`
 *
 * Changes the given fields; `userIds` replaces the members, `channelIds` the channels. With `baseUpdatedAt` nothing is changed if somebody else has changed the team since.
 *
 * Requires the scope `users:write`.
 */
export const updateTeam = (client: Client, input: CallOptions & { path: { teamId: string }; body?: UpdateTeamBody | undefined }): Promise<Team> =>
  call(client, 'PUT', '/v3/teams/{teamId}', input);

/**
 * Delete a team
 *
 * `DELETE /v3/teams/{teamId}`
 *
 * Its users stay; chats assigned to it are no longer assigned to a team.
 *
 * Requires the scope `users:write`.
 */
export const deleteTeam = (client: Client, input: CallOptions & { path: { teamId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/teams/{teamId}', input);

/**
 * Upload a file
 *
 * `POST /v3/files`
 *
 * As multipart/form-data, one file in the field `file`, up to 100 MiB unless the operator has set another limit. Its type is detected from its bytes. With the field `isPrivate` set to true it has no permanent URL.
 *
 * Requires the scope `files:write`.
 */
export const uploadFile = (client: Client, input: KeyedOptions & { body: UploadFileBody }): Promise<File> =>
  upload(client, '/v3/files', input);

/**
 * Get the properties of a file
 *
 * `GET /v3/files/{fileId}`
 *
 * Its name, type, size and checksum; the bytes are at `…/content`.
 *
 * Requires the scope `files:read`.
 */
export const getFile = (client: Client, input: CallOptions & { path: { fileId: string } }): Promise<File> =>
  call(client, 'GET', '/v3/files/{fileId}', input);

/**
 * Delete a file
 *
 * `DELETE /v3/files/{fileId}`
 *
 * Also deletes its bytes. Its public URL then answers 404. Refused while an active automation or a campaign uses it, or an import needs it that reads it or has checked it, unless `force` is true.
 *
 * Requires the scope `files:write`.
 */
export const deleteFile = (client: Client, input: CallOptions & { path: { fileId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/files/{fileId}', input);

/**
 * Download a file
 *
 * `GET /v3/files/{fileId}/content`
 *
 * The bytes of the file. With `Range` a part of them (206), with `If-None-Match` and the `ETag` of an earlier answer 304.
 *
 * Requires the scope `files:read`.
 */
export const getFileContent = (client: Client, input: CallOptions & { path: { fileId: string } }): Promise<Response> =>
  download(client, '/v3/files/{fileId}/content', input);

/**
 * Get a file's public URL
 *
 * `GET /v3/files/{fileId}/public_url`
 *
 * Anyone who has this URL can download the file without a token. It never changes and is valid until the file is deleted. A private file has none: 409.
 *
 * Requires the scope `files:read`.
 */
export const getFilePublicUrl = (client: Client, input: CallOptions & { path: { fileId: string } }): Promise<FilePublicUrl> =>
  call(client, 'GET', '/v3/files/{fileId}/public_url', input);

/**
 * Search files
 *
 * `POST /v3/files/search`
 *
 * Fields to filter and sort by: id, filename, mimeType, size, sha256, isPrivate, createdAt, updatedAt.
 *
 * Requires the scope `files:read`.
 */
export const searchFiles = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<File>> =>
  search(client, '/v3/files/search', input);

/**
 * Create an automation
 *
 * `POST /v3/automations`
 *
 * Creates a draft with its first version. No run starts before it is published. The error for an invalid definition lists every issue with its path, such as `steps.2.parameters.cases.0.next`. What the definition uses, the token must be able to read: contacts and attributes need `contacts:read`, chats `chats:read`, messages `messages:read`.
 *
 * Requires the scope `automations:write`.
 */
export const createAutomation = (client: Client, input: KeyedOptions & { body: CreateAutomationBody }): Promise<Automation> =>
  create(client, '/v3/automations', input);

/**
 * Get an automation
 *
 * `GET /v3/automations/{automationId}`
 *
 * Returns the automation with its active and its latest version.
 *
 * Requires the scope `automations:read`.
 */
export const getAutomation = (client: Client, input: CallOptions & { path: { automationId: string } }): Promise<Automation> =>
  call(client, 'GET', '/v3/automations/{automationId}', input);

/**
 * Save a new version
 *
 * `PUT /v3/automations/{automationId}`
 *
 * Updates the given fields. Trigger, variables and steps that you leave out are those of the latest version. A definition that differs from the latest version becomes a new version. Runs use it after it is published. With `baseVersionId` nothing is saved if somebody else has saved since.
 *
 * Requires the scope `automations:write`.
 */
export const updateAutomation = (client: Client, input: CallOptions & { path: { automationId: string }; body?: UpdateAutomationBody | undefined }): Promise<Automation> =>
  call(client, 'PUT', '/v3/automations/{automationId}', input);

/**
 * Delete an automation
 *
 * `DELETE /v3/automations/{automationId}`
 *
 * Deletes the automation permanently, with its versions and all of its runs, including those that wait.
 *
 * Requires the scope `automations:write`.
 */
export const deleteAutomation = (client: Client, input: CallOptions & { path: { automationId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/automations/{automationId}', input);

/**
 * Search automations
 *
 * `POST /v3/automations/search`
 *
 * Fields to filter and sort by: id, createdAt, updatedAt, name, status, activeVersionId, activeVersionTriggerType, activeVersionTriggerParametersChannelId, latestVersionTriggerType, latestVersionTriggerParametersChannelId, latestVersionId.
 *
 * Requires the scope `automations:read`.
 */
export const searchAutomations = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Automation>> =>
  search(client, '/v3/automations/search', input);

/**
 * Publish a version
 *
 * `POST /v3/automations/{automationId}/publish`
 *
 * New runs use the published version: the given one, or the latest. The automation becomes `active`. Runs that have started keep their version.
 *
 * Requires the scope `automations:write`.
 */
export const publishAutomation = (client: Client, input: KeyedOptions & { path: { automationId: string }; body?: PublishAutomationBody | undefined }): Promise<Automation> =>
  create(client, '/v3/automations/{automationId}/publish', input);

/**
 * Start, stop or archive an automation
 *
 * `POST /v3/automations/{automationId}/status`
 *
 * An automation can change between `active` and `inactive`, can be `archived` from every status, and can become `inactive` again after that. Setting the status that it already has is not an error.
 *
 * Requires the scope `automations:write`.
 */
export const setAutomationStatus = (client: Client, input: KeyedOptions & { path: { automationId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined; body: SetAutomationStatusBody }): Promise<Automation> =>
  create(client, '/v3/automations/{automationId}/status', input);

/**
 * Trigger an automation for a contact
 *
 * `POST /v3/automations/{automationId}/trigger`
 *
 * Starts a run of the active version, whatever its trigger is. The header `X-Automation-Run-Id` contains the run's id. The automation must be `active`.
 *
 * Requires the scope `automations:trigger`.
 */
export const triggerAutomation = (client: Client, input: KeyedOptions & { path: { automationId: string }; body: TriggerAutomationBody }): Promise<void> =>
  create(client, '/v3/automations/{automationId}/trigger', input);

/**
 * Get a run
 *
 * `GET /v3/automation_runs/{runId}`
 *
 * Returns the run with its trace: the steps that it has executed so far.
 *
 * Requires the scope `automations:read`.
 */
export const getAutomationRun = (client: Client, input: CallOptions & { path: { runId: string } }): Promise<AutomationRunWithTrace> =>
  call(client, 'GET', '/v3/automation_runs/{runId}', input);

/**
 * Search runs of automations
 *
 * `POST /v3/automation_runs/search`
 *
 * Fields to filter and sort by: id, createdAt, updatedAt, automationId, contactId, chatId, status.
 *
 * Requires the scope `automations:read`.
 */
export const searchAutomationRuns = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<AutomationRun>> =>
  search(client, '/v3/automation_runs/search', input);

/**
 * Cancel a run
 *
 * `POST /v3/automation_runs/{runId}/cancel`
 *
 * Stops the run. A run that has ended cannot be cancelled.
 *
 * Requires the scope `automations:write`.
 */
export const cancelAutomationRun = (client: Client, input: KeyedOptions & { path: { runId: string } }): Promise<AutomationRun> =>
  create(client, '/v3/automation_runs/{runId}/cancel', input);

/**
 * Retry a run from its failed step
 *
 * `POST /v3/automation_runs/{runId}/retry`
 *
 * Repeats the step that failed and continues from there, with the version that the run started with. Earlier steps are not repeated.
 *
 * Requires the scope `automations:write`.
 */
export const retryAutomationRun = (client: Client, input: KeyedOptions & { path: { runId: string } }): Promise<AutomationRun> =>
  create(client, '/v3/automation_runs/{runId}/retry', input);

/**
 * Check a definition
 *
 * `POST /v3/automations/check`
 *
 * Finds everything for which saving and publishing a definition would be refused, each with its path, and what is allowed but probably not meant: steps that nothing leads to, loops without a wait, unknown names in texts, variables without a value, messages without a channel. Nothing is stored.
 *
 * Requires the scope `automations:read`.
 */
export const checkAutomation = (client: Client, input: CallOptions & { body?: CheckAutomationBody | undefined } = {}): Promise<AutomationCheck> =>
  call(client, 'POST', '/v3/automations/check', input);

/**
 * Show what a run would do
 *
 * `POST /v3/automations/{automationId}/dry_run`
 *
 * Executes a run for a contact without any effect: nothing is stored, sent, called or published. The answer is its trace with the rendered texts, the branches with the values that they compared, the times at which waits end, the messages with their channels or the reason why they would be refused, and what would change. Time passes as fast as the run needs it. Also needs `contacts:read`, `chats:read` and `messages:read`.
 *
 * Requires the scope `automations:read`.
 */
export const dryRunAutomation = (client: Client, input: CallOptions & { path: { automationId: string }; body: DryRunAutomationBody }): Promise<AutomationDryRun> =>
  call(client, 'POST', '/v3/automations/{automationId}/dry_run', input);

/**
 * Explain why automations started or did not
 *
 * `POST /v3/automations/explain`
 *
 * Says for every automation whether an event, or the message of a contact, started it, and if not, why; and whether the message continued a run that waited for a reply. A message starts automations by itself, by opening its chat and by creating its contact. It is decided as it was when the event happened: by the version and the status that were in force. In the order of their creation, at most 1000 automations.
 *
 * Requires the scope `automations:read`.
 */
export const explainAutomations = (client: Client, input: CallOptions & { body?: ExplainAutomationsBody | undefined } = {}): Promise<AutomationExplanation[]> =>
  call(client, 'POST', '/v3/automations/explain', input);

/**
 * Search versions of an automation
 *
 * `POST /v3/automations/{automationId}/versions/search`
 *
 * Fields to filter and sort by: id, number, createdAt.
 *
 * Requires the scope `automations:read`.
 */
export const searchAutomationVersions = (client: Client, input: CallOptions & { path: { automationId: string }; body?: SearchBody | undefined }): Promise<Page<AutomationVersion>> =>
  search(client, '/v3/automations/{automationId}/versions/search', input);

/**
 * Get a version of an automation
 *
 * `GET /v3/automations/{automationId}/versions/{versionId}`
 *
 * Returns one version. A version never changes, and the keys of all versions have the same order, so that two of them can be compared line by line.
 *
 * Requires the scope `automations:read`.
 */
export const getAutomationVersion = (client: Client, input: CallOptions & { path: {
  automationId: string;
  versionId: string;
} }): Promise<AutomationVersion> =>
  call(client, 'GET', '/v3/automations/{automationId}/versions/{versionId}', input);

/**
 * Count how far runs have come
 *
 * `POST /v3/automations/{automationId}/funnel`
 *
 * Counts for every step how many runs came to it, went on, wait in it, failed in it and ended with it. Of all versions, or of one; of runs that were created in a period.
 *
 * Requires the scope `automations:read`.
 */
export const getAutomationFunnel = (client: Client, input: CallOptions & { path: { automationId: string }; body?: GetAutomationFunnelBody | undefined }): Promise<AutomationFunnel> =>
  call(client, 'POST', '/v3/automations/{automationId}/funnel', input);

/**
 * Store a secret
 *
 * `PUT /v3/secrets/{secretName}`
 *
 * Creates a secret or replaces its value. Steps `http_request` use it as `{{ secrets.name }}` in headers and in the body, and sign with it by `signWith`. It is stored encrypted and never shown.
 *
 * Requires the scope `automations:write`.
 */
export const storeSecret = (client: Client, input: CallOptions & { path: { secretName: string }; body: StoreSecretBody }): Promise<Secret> =>
  call(client, 'PUT', '/v3/secrets/{secretName}', input);

/**
 * Delete a secret
 *
 * `DELETE /v3/secrets/{secretName}`
 *
 * Refused while an active automation uses it, unless `force` is true.
 *
 * Requires the scope `automations:write`.
 */
export const deleteSecret = (client: Client, input: CallOptions & { path: { secretName: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/secrets/{secretName}', input);

/**
 * Search secrets
 *
 * `POST /v3/secrets/search`
 *
 * Fields to filter and sort by: id, name, createdAt, updatedAt.
 *
 * Requires the scope `automations:read`.
 */
export const searchSecrets = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Secret>> =>
  search(client, '/v3/secrets/search', input);

/**
 * Save a filter of contacts
 *
 * `POST /v3/segments`
 *
 * A segment is everyone who matches its filter at the moment it is used, for example as the audience of a campaign. Filters of contacts name it with `segment("<id>")`.
 *
 * Requires the scope `contacts:write`.
 */
export const createSegment = (client: Client, input: KeyedOptions & { body: CreateSegmentBody }): Promise<Segment> =>
  create(client, '/v3/segments', input);

/**
 * Get a segment
 *
 * `GET /v3/segments/{segmentId}`
 *
 * Its contacts are found by its filter, with `POST /v3/contacts/search`.
 *
 * Requires the scope `contacts:read`.
 */
export const getSegment = (client: Client, input: CallOptions & { path: { segmentId: string } }): Promise<Segment> =>
  call(client, 'GET', '/v3/segments/{segmentId}', input);

/**
 * Update a segment
 *
 * `PUT /v3/segments/{segmentId}`
 *
 * Changes the given fields. Campaigns that are running keep the filter that they began with; the next occurrence uses the new one. A filter with which another segment, or an audience that names this one, would no longer be valid is refused.
 *
 * Requires the scope `contacts:write`.
 */
export const updateSegment = (client: Client, input: CallOptions & { path: { segmentId: string }; body?: UpdateSegmentBody | undefined }): Promise<Segment> =>
  call(client, 'PUT', '/v3/segments/{segmentId}', input);

/**
 * Delete a segment
 *
 * `DELETE /v3/segments/{segmentId}`
 *
 * Its contacts stay. A segment that a draft, an active campaign, an automation or another segment uses is not deleted, unless `force` is true: a campaign with its `segmentId` then keeps its filter, other filters that name it are no longer valid.
 *
 * Requires the scope `contacts:write`.
 */
export const deleteSegment = (client: Client, input: CallOptions & { path: { segmentId: string }; query?: {
  /** With `true` it is deleted although active automations or campaigns use it */
  force?: boolean | undefined;
} | undefined }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/segments/{segmentId}', input);

/**
 * Count the contacts of a segment
 *
 * `GET /v3/segments/{segmentId}/count`
 *
 * Counts up to 100,000 contacts that match now.
 *
 * Requires the scope `contacts:read`.
 */
export const countSegment = (client: Client, input: CallOptions & { path: { segmentId: string } }): Promise<SegmentCount> =>
  call(client, 'GET', '/v3/segments/{segmentId}/count', input);

/**
 * Search segments
 *
 * `POST /v3/segments/search`
 *
 * Fields to filter and sort by: id, name, query, createdAt, updatedAt.
 *
 * Requires the scope `contacts:read`.
 */
export const searchSegments = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Segment>> =>
  search(client, '/v3/segments/search', input);

/**
 * Tell whether it is open
 *
 * `POST /v3/business_hours/describe`
 *
 * Whether the tenant or a channel is open at a moment, when that changes, and whether marketing waits. With `businessHours` or `quietHours` it says so for these, without storing them: null are those that would be used without own ones.
 *
 * Requires the scope `tenant:read`.
 */
export const describeHours = (client: Client, input: CallOptions & { body?: DescribeHoursBody | undefined } = {}): Promise<HoursState> =>
  call(client, 'POST', '/v3/business_hours/describe', input);

/**
 * Create a campaign
 *
 * `POST /v3/campaigns`
 *
 * Runs an automation for many contacts, or sends them a `message`. It starts at `scheduledAt`, or now. Without `contacts` and `audience` it is a draft. An `audience` needs `contacts:read`, too. If anything is invalid, nothing is stored.
 *
 * Requires the scope `campaigns:write`.
 */
export const createCampaign = (client: Client, input: KeyedOptions & { body: CreateCampaignBody }): Promise<CampaignWithCounts> =>
  create(client, '/v3/campaigns', input);

/**
 * Get a campaign
 *
 * `GET /v3/campaigns/{campaignId}`
 *
 * Returns the campaign with the number of recipients in each status.
 *
 * Requires the scope `campaigns:read`.
 */
export const getCampaign = (client: Client, input: CallOptions & { path: { campaignId: string } }): Promise<CampaignWithCounts> =>
  call(client, 'GET', '/v3/campaigns/{campaignId}', input);

/**
 * Update a campaign
 *
 * `PUT /v3/campaigns/{campaignId}`
 *
 * Changes the given fields of a campaign that is a draft or scheduled; the whole is checked as if it were created now. Recipients that were given stay. Of a recurring campaign between two occurrences, everything but `scheduledAt` can be changed.
 *
 * Requires the scope `campaigns:write`.
 */
export const updateCampaign = (client: Client, input: CallOptions & { path: { campaignId: string }; body?: UpdateCampaignBody | undefined }): Promise<CampaignWithCounts> =>
  call(client, 'PUT', '/v3/campaigns/{campaignId}', input);

/**
 * Delete a campaign
 *
 * `DELETE /v3/campaigns/{campaignId}`
 *
 * Deletes a draft, or a scheduled campaign that has not run yet, with its recipients. Any other is cancelled instead, so that what was sent stays known. Contacts stay.
 *
 * Requires the scope `campaigns:write`.
 */
export const deleteCampaign = (client: Client, input: CallOptions & { path: { campaignId: string } }): Promise<DeleteResult> =>
  call(client, 'DELETE', '/v3/campaigns/{campaignId}', input);

/**
 * Preview a campaign
 *
 * `POST /v3/campaigns/preview`
 *
 * Returns whom a campaign would reach, whom it would skip and why, and the messages as they would be sent, all as of now. Takes the body of `POST /v3/campaigns`, which is checked in the same way. An `audience`, and samples of contacts that exist, need `contacts:read`, too. Nothing is stored and nothing is sent. What a step calls on other servers is not called.
 *
 * Requires the scope `campaigns:read`.
 */
export const previewCampaign = (client: Client, input: CallOptions & { body: PreviewCampaignBody }): Promise<CampaignPreview> =>
  call(client, 'POST', '/v3/campaigns/preview', input);

/**
 * Send a campaign to one person
 *
 * `POST /v3/campaigns/{campaignId}/test`
 *
 * Tries a campaign out: starts one that is marked with `isTest`, with the same content, for one person alone, now: a user, an address, or a contact. The campaign itself is not changed.
 *
 * Requires the scope `campaigns:write`.
 */
export const testCampaign = (client: Client, input: KeyedOptions & { path: { campaignId: string }; body?: TestCampaignBody | undefined }): Promise<CampaignWithCounts> =>
  create(client, '/v3/campaigns/{campaignId}/test', input);

/**
 * Search campaigns
 *
 * `POST /v3/campaigns/search`
 *
 * Fields to filter and sort by: id, name, status, channelId, automationId, segmentId, isTest, scheduledAt, createdAt, updatedAt.
 *
 * Requires the scope `campaigns:read`.
 */
export const searchCampaigns = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Campaign>> =>
  search(client, '/v3/campaigns/search', input);

/**
 * Start, pause or cancel a campaign
 *
 * `POST /v3/campaigns/{campaignId}/status`
 *
 * `running` starts a draft or resumes a paused campaign: at its scheduled time if that is in the future, otherwise now. `paused` holds the campaign, its runs and its queued messages. `cancelled` ends them permanently. Setting the status that it already has is not an error. With `baseUpdatedAt` nothing happens if somebody has changed the campaign since.
 *
 * Requires the scope `campaigns:write`.
 */
export const setCampaignStatus = (client: Client, input: KeyedOptions & { path: { campaignId: string }; body: SetCampaignStatusBody }): Promise<CampaignWithCounts> =>
  create(client, '/v3/campaigns/{campaignId}/status', input);

/**
 * Add recipients to a campaign
 *
 * `POST /v3/campaigns/{campaignId}/recipients`
 *
 * Adds up to 5000 recipients in one call. You can add recipients until the campaign has ended. Existing recipients stay. A draft stays a draft until you start it.
 *
 * Requires the scope `campaigns:write`.
 */
export const addRecipients = (client: Client, input: KeyedOptions & { path: { campaignId: string }; body: AddRecipientsBody }): Promise<CampaignWithCounts> =>
  create(client, '/v3/campaigns/{campaignId}/recipients', input);

/**
 * Search a campaign's recipients
 *
 * `POST /v3/campaigns/{campaignId}/recipients/search`
 *
 * Fields to filter and sort by: contactId, status, skipReason, code, createdAt, updatedAt.
 *
 * Requires the scope `campaigns:read`.
 */
export const searchRecipients = (client: Client, input: CallOptions & { path: { campaignId: string }; body?: SearchBody | undefined }): Promise<Page<Recipient>> =>
  search(client, '/v3/campaigns/{campaignId}/recipients/search', input);

/**
 * Download the results of a campaign
 *
 * `GET /v3/campaigns/{campaignId}/results.csv`
 *
 * Returns a CSV file with a line for each recipient of the current or last occurrence, sorted by contact. A text that a spreadsheet could read as a formula is preceded by an apostrophe.
 *
 * Requires the scope `campaigns:read`.
 *
 * People need the role `admin` or `owner`.
 */
export const getCampaignResults = (client: Client, input: CallOptions & { path: { campaignId: string } }): Promise<Response> =>
  download(client, '/v3/campaigns/{campaignId}/results.csv', input);

/**
 * Import contacts from a file
 *
 * `POST /v3/imports`
 *
 * The file is a CSV of up to 1,000,000 rows, whose first row has the names of the columns. Upload it with `POST /v3/files`; its import makes it private, which needs `files:write`, unless it is a dry run, or a message, a campaign, a saved reply or an automation uses the file. A private file is deleted 7 days after its last import has ended. A row becomes a contact. One whose phone number or email address a contact has is skipped, or updates the contact with `onExisting: "update"`; empty cells change nothing. Rows with issues are left out and listed, also those that repeat a phone number or an email address of an earlier row (`duplicate_in_file`). The import is a job with the same id. Also needs `files:read`. See the guide about imports.
 *
 * Requires the scope `contacts:write`.
 */
export const createImport = (client: Client, input: KeyedOptions & { body: CreateImportBody }): Promise<Import> =>
  create(client, '/v3/imports', input);

/**
 * Examine a file before its import
 *
 * `POST /v3/imports/examine`
 *
 * Returns how the file is written, its columns with their first values, and what they probably are. Nothing is stored. Also needs `files:read`.
 *
 * Requires the scope `contacts:read`.
 */
export const examineImport = (client: Client, input: CallOptions & { body: ExamineImportBody }): Promise<ExaminedImport> =>
  call(client, 'POST', '/v3/imports/examine', input);

/**
 * Search imports
 *
 * `POST /v3/imports/search`
 *
 * Fields to filter and sort by: id, status, dryRun, fileId, filename, defaultCountry, onExisting, publishEvents, triggerAutomations, encoding, delimiter, total, created, updated, skipped, failed, authorId, createdAt, updatedAt, endedAt.
 *
 * Requires the scope `contacts:read`.
 */
export const searchImports = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Import>> =>
  search(client, '/v3/imports/search', input);

/**
 * Get an import
 *
 * `GET /v3/imports/{importId}`
 *
 * Users who are restricted to teams see the imports that they asked for. Imports are kept for 30 days after they have ended.
 *
 * Requires the scope `contacts:read`.
 */
export const getImport = (client: Client, input: CallOptions & { path: { importId: string } }): Promise<Import> =>
  call(client, 'GET', '/v3/imports/{importId}', input);

/**
 * Cancel an import
 *
 * `POST /v3/imports/{importId}/cancel`
 *
 * What was imported before stays. An import that has ended is not changed.
 *
 * Requires the scope `contacts:write`.
 */
export const cancelImport = (client: Client, input: KeyedOptions & { path: { importId: string } }): Promise<Import> =>
  create(client, '/v3/imports/{importId}/cancel', input);

/**
 * Download the rows that were not imported
 *
 * `GET /v3/imports/{importId}/errors.csv`
 *
 * Returns a CSV file with the number of each row that has an issue, the reason, and its cells, which can be corrected and imported again; without the cells after the file was deleted. It has the first 100,000 such rows. A text that a spreadsheet could read as a formula is preceded by an apostrophe, which an import removes.
 *
 * Requires the scope `contacts:read`.
 *
 * People need the role `admin` or `owner`.
 */
export const getImportErrors = (client: Client, input: CallOptions & { path: { importId: string } }): Promise<Response> =>
  download(client, '/v3/imports/{importId}/errors.csv', input);

/**
 * Change many chats
 *
 * `POST /v3/chats/bulk`
 *
 * Assigns, opens, snoozes, closes or marks the chats that match `query`, or those with `ids`, or changes the labels of their contacts (which also needs `contacts:write`). What it is done to is chosen once, at the moment of the request: what matches later is not added, and one that no longer matches stays. Unknown ids count as failed. The job works in batches, and publishes the same events as the operation for one. At most 100,000 can match.
 *
 * Requires the scope `chats:write`.
 */
export const changeChats = (client: Client, input: KeyedOptions & { body: ChangeChatsBody }): Promise<StartedJob> =>
  create(client, '/v3/chats/bulk', input);

/**
 * Change many contacts
 *
 * `POST /v3/contacts/bulk`
 *
 * Adds or removes labels, sets attributes, or erases the contacts that match `query`, or those with `ids`. To erase them also needs `contacts:delete`. What it is done to is chosen once, at the moment of the request: what matches later is not added, and one that no longer matches stays. Unknown ids count as failed. The job works in batches, and publishes the same events as the operation for one. At most 100,000 can match.
 *
 * Requires the scope `contacts:write`.
 */
export const changeContacts = (client: Client, input: KeyedOptions & { body: ChangeContactsBody }): Promise<StartedJob> =>
  create(client, '/v3/contacts/bulk', input);

/**
 * Cancel or retry many runs
 *
 * `POST /v3/automation_runs/bulk`
 *
 * Cancels the runs that match `query`, or those with `ids`, or retries them from their failed step. Runs that cannot be cancelled or retried count as failed. What it is done to is chosen once, at the moment of the request: what matches later is not added, and one that no longer matches stays. Unknown ids count as failed. The job works in batches, and publishes the same events as the operation for one. At most 100,000 can match.
 *
 * Requires the scope `automations:write`.
 */
export const changeAutomationRuns = (client: Client, input: KeyedOptions & { body: ChangeAutomationRunsBody }): Promise<StartedJob> =>
  create(client, '/v3/automation_runs/bulk', input);

/**
 * Search jobs
 *
 * `POST /v3/jobs/search`
 *
 * Fields to filter and sort by: id, kind, status, done, total, failed, authorId, createdAt, updatedAt, endedAt.
 */
export const searchJobs = (client: Client, input: CallOptions & { body?: SearchBody | undefined } = {}): Promise<Page<Job>> =>
  search(client, '/v3/jobs/search', input);

/**
 * Get a job
 *
 * `GET /v3/jobs/{jobId}`
 *
 * How far a piece of background work is: a bulk action, an import, repeated deliveries, the deletion of a large channel or contact, or the waking of many runs after a change of the hours. What is being deleted is hidden from the beginning; the job only frees its space. Users who are restricted to teams see the jobs that they asked for. Jobs are kept for 30 days after they have ended.
 */
export const getJob = (client: Client, input: CallOptions & { path: { jobId: string } }): Promise<Job> =>
  call(client, 'GET', '/v3/jobs/{jobId}', input);

/**
 * Cancel a job
 *
 * `POST /v3/jobs/{jobId}/cancel`
 *
 * Ends a bulk action, an import or repeated deliveries before all is done. What is done stays done. Needs the scope that starting it needs. A job that has ended is not changed.
 */
export const cancelJob = (client: Client, input: KeyedOptions & { path: { jobId: string } }): Promise<Job> =>
  create(client, '/v3/jobs/{jobId}/cancel', input);

/**
 * Get a job of any tenant
 *
 * `GET /admin/jobs/{jobId}`
 *
 * Like `GET /v3/jobs/{jobId}`, also for the deletion of a tenant.
 */
export const getAnyJob = (client: Client, input: CallOptions & { path: { jobId: string } }): Promise<Job> =>
  call(client, 'GET', '/admin/jobs/{jobId}', input);

/**
 * Count what happened
 *
 * `POST /v3/reports/search`
 *
 * Returns the figures of a period: messages and chats (`volumes`), how long contacts waited for people (`response_times`), what users did (`agents`), what became of campaigns (`campaigns`) and of runs (`automations`). Days, weeks and months begin in the time zone of the tenant, or in `timezone`. The current hour is included; of more than 50,000 messages, runs or changes of chats in the last hours only those of the last quarters of an hour are counted at once, and the others after each quarter. What changes later, such as a message that is read the next day, is counted within minutes. Users who are restricted to teams get the figures of their channels. Fields to filter by: channelId, teamIds, authorType, userId (`volumes`); channelId, teamIds, userId (`response_times`); channelId, teamIds, userId (`agents`); channelId, teamIds, campaignId (`campaigns`); channelId, teamIds, automationId (`automations`). Without `groupBy` every interval has a row; with it, those in which something was counted. At most 1,000 intervals.
 *
 * Requires the scope `reports:read`.
 */
export const searchReports = (client: Client, input: CallOptions & { body: SearchReportsBody }): Promise<ReportRow[]> =>
  call(client, 'POST', '/v3/reports/search', input);

/**
 * Download a report
 *
 * `GET /v3/reports/export.csv`
 *
 * Returns the rows of a report as a CSV file; of `volumes` and the last 30 days unless others are given. Days, weeks and months begin in the time zone of the tenant, or in `timezone`. The current hour is included; of more than 50,000 messages, runs or changes of chats in the last hours only those of the last quarters of an hour are counted at once, and the others after each quarter. What changes later, such as a message that is read the next day, is counted within minutes. Users who are restricted to teams get the figures of their channels. A text that a spreadsheet could read as a formula is preceded by an apostrophe.
 *
 * Requires the scope `reports:read`.
 *
 * People need the role `admin` or `owner`.
 */
export const exportReport = (client: Client, input: CallOptions & { query?: {
  /** Which report */
  name?: "volumes" | "response_times" | "agents" | "campaigns" | "automations" | undefined;
  /** The begin; the quarter of an hour in which it is counts as a whole */
  from?: string | undefined;
  /** The end, at most ten years later; the quarter of an hour in which it is counts as a whole */
  to?: string | undefined;
  /** A row for each; without it, one row for the whole period. Weeks begin on Monday */
  interval?: "hour" | "day" | "week" | "month" | undefined;
  /** A row for each; without it, the sum of all */
  groupBy?: "channel" | "author" | "user" | "campaign" | "automation" | undefined;
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** In which days, weeks and months begin; that of the tenant when left out */
  timezone?: string | undefined;
} | undefined } = {}): Promise<Response> =>
  download(client, '/v3/reports/export.csv', input);

/**
 * Get what is held after a restore
 *
 * `GET /admin/held_work`
 *
 * After a start with `--after-restore`, everything that was due in the backup is held until it is released.
 */
export const getHeldWork = (client: Client, input: CallOptions = {}): Promise<HeldWork> =>
  call(client, 'GET', '/admin/held_work', input);

/**
 * Release what is held after a restore
 *
 * `POST /admin/held_work/release`
 *
 * Everything that is held is done as soon as possible, as if it had just become due. Cancel before what must not be done.
 */
export const releaseHeldWork = (client: Client, input: CallOptions = {}): Promise<HeldWork> =>
  call(client, 'POST', '/admin/held_work/release', input);

/**
 * List the calls of v2
 *
 * `GET /admin/v2-usage`
 *
 * Calls by token and operation, before and after the end of v2, the last one first. Other processes add theirs every five seconds; calls without a valid token are not counted.
 */
export const listV2Usage = (client: Client, input: CallOptions = {}): Promise<V2Usage[]> =>
  call(client, 'GET', '/admin/v2-usage', input);

/**
 * List the calls of v2 by the tokens of the tenant
 *
 * `GET /v3/v2_usage`
 *
 * Calls by token and operation, before and after the end of v2, the last one first. Other processes add theirs every five seconds; calls without a valid token are not counted. At most 1000.
 *
 * Requires the scope `tokens:read`.
 */
export const listTenantV2Usage = (client: Client, input: CallOptions = {}): Promise<TenantV2Usage[]> =>
  call(client, 'GET', '/v3/v2_usage', input);
