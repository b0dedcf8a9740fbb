// Generated from openapi/v3.json by `npm run sdk`. Do not edit.

export interface Me {
  tenant: {
    id: string;
    name: string;
  };
  /** Null for a user who has logged in */
  tokenId: string | null;
  /** The user who has logged in; null for a token */
  userId: string | null;
  plan: "free" | "growth" | "scale";
  /** Additional features of the plan */
  features: Array<"automations" | "campaigns">;
  scopes: string[];
  /** What the tenant may have at most. More is refused with `limit_reached` */
  limits: {
    requestsPerMinute: number;
    webhooks: number;
    activeAutomations: number;
    runsPerMinute: number;
    streams: number;
    storedFailedRequests: number;
    storageBytes: number;
    unfinishedJobs: number;
    segments: number;
    inboxViews: number;
    savedReplies: number;
    secrets: number;
  };
}

/** The channel that mails invitations and links for new passwords (`PARLEY_SYSTEM_MAIL_CHANNEL`) */
export interface SystemMailState {
  /** Whether mails can be sent. `none`: no channel is chosen, so admins copy links. `unchecked`: nothing was sent over it yet. `failing`: it cannot send. `missing`: the chosen channel does not exist or is not for email */
  status: "none" | "working" | "unchecked" | "failing" | "missing";
  /** The tenant of the channel */
  tenantId: string | null;
  channelId: string | null;
  /** Why it is failing; otherwise null */
  problem: string | null;
}

export interface TenantSettings {
  id: string;
  name: string;
  /** The name of a time zone, such as `Europe/Berlin`; `UTC` at first */
  timezone: string;
  /** A language tag such as `de` or `pt-BR`; `en` at first */
  locale: string;
  /** When it is open, in local time. Hours over midnight are written as two: `["22:00","24:00"]`, and `["00:00","02:00"]` on the day after. Null: always open */
  businessHours: {
    /** The zone in which they are meant, such as `Europe/Berlin`; that of the tenant if left out */
    timezone?: string;
    /** The hours of this day of the week; closed if left out */
    mon?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    tue?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    wed?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    thu?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    fri?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    sat?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    sun?: Array<string[]>;
    /** Dates on which it is closed all day */
    closedOn?: string[];
    /** Dates with other hours than their day of the week */
    exceptions?: Array<{
      /** A date such as `2026-12-25` */
      date: string;
      /** The hours of this date */
      hours: Array<string[]>;
    }>;
  } | null;
  /** When no marketing is sent, in the time zone of each contact. Replies of people and messages with the purpose `service` are sent at any time. Null: none */
  quietHours: {
    /** When they begin, such as `21:00` */
    from?: string;
    /** When they end, such as `08:00`; before `from` it is the next day */
    to?: string;
    /** The zone for contacts without a zone of their own; that of the tenant if left out */
    timezone?: string;
    /** True: no quiet hours, without `from` and `to`. So a channel has none although its tenant has some */
    isOff?: boolean;
  } | null;
  /** Whether it has a clock of its own */
  isTest: boolean;
  /** How much of the limits of `GET /v3/me` is used */
  usage: {
    webhooks: number;
    activeAutomations: number;
    storedFailedRequests: number;
    storageBytes: number;
  };
  systemMail: SystemMailState;
  createdAt: string;
  updatedAt: string;
}

export interface CreatedToken {
  id: string;
  name: string;
  scopes: string[];
  expiresAt: string;
  /** To the hour; null if it was never used */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** The access token; cannot be read again */
  token: string;
}

export interface Token {
  id: string;
  name: string;
  scopes: string[];
  expiresAt: string;
  /** To the hour; null if it was never used */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The ids that were deleted and those that were not found */
export interface DeleteResult {
  deletedIds: string[];
  notFoundIds: string[];
}

export interface Tenant {
  id: string;
  name: string;
  plan: "free" | "growth" | "scale";
  /** Set if it differs from the plan's */
  rateLimit: number | null;
  /** Those that differ from the plan's */
  limits: {
    webhooks?: number;
    activeAutomations?: number;
    runsPerMinute?: number;
    streams?: number;
    storedFailedRequests?: number;
    storageBytes?: number;
    unfinishedJobs?: number;
    segments?: number;
    inboxViews?: number;
    savedReplies?: number;
    secrets?: number;
  };
  /** Whether it has a clock of its own */
  isTest: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface RemovalResult {
  deletedIds: string[];
  notFoundIds: string[];
  /** The job that deletes the rest, if there is much of it; null if everything is deleted. What is being deleted is hidden at once */
  jobId: string | null;
}

export interface InstallationStatus {
  versions: {
    parley: string;
    node: string;
    postgres: string;
    /** The last migration that was applied */
    schema: string | null;
  };
  database: {
    /** Its size on the disk */
    bytes: number;
  };
  tenants: number;
  /** Channels of all tenants that cannot send */
  failingChannels: number;
  systemMail: SystemMailState;
  /** Since when due work is held after a restore, until `parley release`; otherwise null */
  heldSince: string | null;
  queues: Array<{
    name: string;
    purpose: string;
    /** How many rows are due, at most 1,000 per ordering key */
    due: number;
    /** Since when the oldest of them is due */
    oldestDueAt: string | null;
  }>;
  /** Processes that work on queues and reported within the last minute */
  processes: Array<{
    id: string;
    /** When it reported last */
    seenAt: string;
    /** How many of the 65 parts of all queues it works on */
    shards: number;
  }>;
  v2: {
    /** All calls that were counted; see `GET /admin/v2-usage` */
    calls: number;
    /** How many tenants made them */
    tenants: number;
    lastCalledAt: string | null;
  };
}

export interface Membership {
  tenantId: string;
  tenantName: string;
  userId: string;
  name: string;
  role: "owner" | "admin" | "agent" | "viewer";
  /** What the role may do; `*` is everything */
  scopes: Array<"chats:read" | "chats:write" | "chats:delete" | "contacts:read" | "contacts:write" | "contacts:delete" | "messages:read" | "messages:write" | "channels:read" | "channels:write" | "attributes:read" | "attributes:write" | "webhooks:read" | "webhooks:write" | "automations:read" | "automations:write" | "automations:trigger" | "campaigns:read" | "campaigns:write" | "templates:read" | "templates:write" | "files:read" | "files:write" | "events:read" | "users:read" | "users:write" | "tokens:read" | "tokens:write" | "audit:read" | "reports:read" | "tenant:read" | "tenant:write" | "*">;
  /** The only channels whose chats the user sees; null for all */
  channelIds: string[] | null;
}

export interface Session {
  id: string;
  /** At the latest; 12 hours after the last request if that is earlier */
  expiresAt: string;
  person: {
    id: string;
    email: string;
    name: string;
    /** Whether `/admin` takes this session */
    isOperator: boolean;
    hasPassword: boolean;
    /** Whether logging in requires a code */
    hasTotp: boolean;
  };
  /** The tenants; the header `Parley-Tenant` of other requests chooses one */
  memberships: Membership[];
}

export interface LoginMethods {
  password: boolean;
  /** Whether an identity provider is configured */
  oidc: boolean;
  /** Whether links for new passwords are mailed; else an admin makes one */
  resetByMail: boolean;
}

export interface PasswordReset {
  /** True: somebody who has this address gets a mail. False: no mail can be sent here; ask an admin of your tenant, or the operator, for a link */
  isMailed: boolean;
}

export interface LinkInfo {
  kind: "invitation" | "reset" | "login";
  /** For whom it is; null if the person says it */
  email: string | null;
  name: string | null;
  /** Where an invitation leads to */
  tenantName: string | null;
  /** Whether somebody with this address has an account */
  hasAccount: boolean;
  /** Whether redeeming it requires a code */
  hasTotp: boolean;
  /** Whether no tenant exists, so that `tenantName` names one */
  createsTenant: boolean;
}

export interface EndedSession { ended: boolean }

export interface OwnSession {
  id: string;
  isCurrent: boolean;
  /** From where it was begun */
  address: string;
  /** The browser, as it describes itself */
  agent: string;
  createdAt: string;
  /** To the minute */
  lastSeenAt: string;
  expiresAt: string;
}

export interface NewTotp {
  /** To be typed into the authenticator app */
  secret: string;
  /** The same as a picture that the app scans: `otpauth://…` */
  uri: string;
}

export interface RecoveryCodes {
  /** Each replaces a code of the app once. They cannot be read again */
  recoveryCodes: string[];
}

export interface PersonLink {
  /** Give it to the person over a channel that you trust. It works once */
  url: string;
  expiresAt: string;
  /** Whether the person also gets a mail, with a link of its own that works as long */
  isMailed: boolean;
}

export interface AuditEntry {
  id: string;
  actor: {
    type: "user" | "token" | "operator";
    /** The user or the token; the person who acted as the operator */
    id: string | null;
    /** The name at that time */
    name: string;
  };
  /** The `operationId` of what was called */
  operation: string;
  /** What was changed */
  targetId: string | null;
  /** The fields that were given. Values are shown of those that cannot contain a text; the others are null */
  changes: Record<string, unknown>;
  address: string;
  /** The `X-Request-Id` of the answer */
  requestId: string;
  createdAt: string;
}

/** A session of somebody who is a user of the tenant, in whichever tenant it is used */
export interface UserSession {
  id: string;
  user: {
    id: string;
    name: string;
  };
  /** From where it was begun */
  address: string;
  /** The browser, as it describes itself */
  agent: string;
  createdAt: string;
  /** To the minute */
  lastSeenAt: string;
  expiresAt: string;
}

export interface TestClock {
  /** The time of the clock */
  now: string;
}

export interface Channel {
  id: string;
  kind: "whatsapp" | "sms" | "email" | "instagram";
  provider: string;
  name: string;
  address: string;
  /** `unchecked` until a check succeeds or a message is sent, `failing` while it cannot send, `degraded` while the vendor warns about it or its mailbox refuses a mail; `problem` has the reason */
  health: "unchecked" | "healthy" | "degraded" | "failing";
  /** Messages that unsubscribe; null: the usual ones of twelve languages */
  optOutWords: string[] | null;
  /** Messages that subscribe again; null: start, unstop, subscribe */
  optInWords: string[] | null;
  /** Answers an opt-out; null: a sentence in the language of the word; empty: nothing. On SMS the carrier confirms it */
  optOutConfirmation: string | null;
  /** When it is open, in local time. Hours over midnight are written as two: `["22:00","24:00"]`, and `["00:00","02:00"]` on the day after. Null: those of the tenant */
  businessHours: {
    /** The zone in which they are meant, such as `Europe/Berlin`; that of the tenant if left out */
    timezone?: string;
    /** The hours of this day of the week; closed if left out */
    mon?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    tue?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    wed?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    thu?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    fri?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    sat?: Array<string[]>;
    /** The hours of this day of the week; closed if left out */
    sun?: Array<string[]>;
    /** Dates on which it is closed all day */
    closedOn?: string[];
    /** Dates with other hours than their day of the week */
    exceptions?: Array<{
      /** A date such as `2026-12-25` */
      date: string;
      /** The hours of this date */
      hours: Array<string[]>;
    }>;
  } | null;
  /** When no marketing is sent, in the time zone of each contact. Replies of people and messages with the purpose `service` are sent at any time. Null: those of the tenant */
  quietHours: {
    /** When they begin, such as `21:00` */
    from?: string;
    /** When they end, such as `08:00`; before `from` it is the next day */
    to?: string;
    /** The zone for contacts without a zone of their own; that of the tenant if left out */
    timezone?: string;
    /** True: no quiet hours, without `from` and `to`. So a channel has none although its tenant has some */
    isOff?: boolean;
  } | null;
  /** Why it is failing or degraded; otherwise null */
  problem: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ChannelKind {
  kind: "whatsapp" | "sms" | "email" | "instagram";
  provider: string;
  /** The name of the provider */
  label: string;
  /** What the `address` of such a channel is */
  addressHelp: string;
  /** The JSON schema of `config`. Secrets are `writeOnly`; most channels do without what has `x-advanced` */
  settings: Record<string, unknown>;
  /** What to do, in order */
  steps: string[];
  /** Whether the vendor must know a URL of this server */
  hasWebhook: boolean;
  /** The guide, as a path of this server */
  help: string;
}

export interface ChannelSetupStep {
  /** What to do */
  step: string;
  /** Whether something has been seen that shows that it is done; `unknown` if nothing ever does */
  status: "done" | "open" | "unknown";
  /** What has been seen, or is missing */
  message: string;
  /** What the step is about */
  kind: "vendor" | "create" | "webhook" | "receive" | "send" | "elsewhere";
  /** When the newest message came in (`webhook`, `receive`) or was sent (`send`); otherwise null */
  seenAt: string | null;
  /** What to enter at the vendor in this step; null in all others */
  webhookUrl: string | null;
  /** What to enter beside it, at Meta; otherwise null */
  verifyToken: string | null;
  /** False if `webhookUrl` is one that no vendor can call: set `PARLEY_BASE_URL` to the public address */
  isReachable: boolean;
}

export interface ChannelCheck {
  /** True if there is no problem */
  ok: boolean;
  problems: Array<{
    /** The setting that causes the problem, such as `config.accessToken`; absent if it is none */
    path?: string;
    /** The problem, with the vendor's message if it was called */
    message: string;
  }>;
}

export interface SandboxAccepted {
  messageId: string;
  vendorId: string;
  to: string;
  type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | "story_reply" | "story_mention" | "comment" | "unsupported";
  text: string | null;
  /** As in the message, with `media`, and with the `vendorId` of the message that it replies to as `replyTo` */
  content: Record<string, unknown>;
  /** When the sandbox accepted it */
  at: string;
}

export interface SandboxFaults {
  /** Each request of the vendor is sent twice: messages, echoes and statuses */
  duplicate: boolean;
  /** The statuses of a message are sent in reverse order */
  reorder: boolean;
  /** Every n-th attempt to send is refused temporarily: the message is not accepted, and Parley tries again; 1: every attempt, 0: none */
  failEvery: number;
  /** How long the answer to a send takes after the message is accepted, in real time */
  delayMs: number;
  /** The first report about a message does not wait for the answer to the send: on WhatsApp and Instagram an echo, on other channels the first status. With `delayMs` it comes before the answer */
  echoBeforeResponse: boolean;
}

export interface SandboxSettings {
  faults: SandboxFaults;
  /** The time between two statuses of a message */
  statusDelayMs: number;
  /** Whether every message is reported as read after a moment */
  readsAutomatically: boolean;
}

export interface FailedRequest {
  id: string;
  /** Why it could not be processed; null while it is tried again, or if the token lacks `messages:read` */
  error: string | null;
  /** The number of attempts */
  attempts: number;
  receivedAt: string;
  /** The size of its body in bytes */
  size: number;
  /** Its body as the vendor sent it, up to 64 KiB; null if the token lacks `messages:read` */
  body: string | null;
  /** The encoding of `body`: `base64` if it is not UTF-8 text */
  encoding: "text" | "base64";
}

export interface Subscription {
  channelKind: "whatsapp" | "sms" | "email" | "instagram";
  status: "subscribed" | "unsubscribed";
  /** `contact`: by a word such as STOP; `vendor`: at the vendor; `complaint`: marked as spam; `link`: the link of a mail */
  source: "contact" | "vendor" | "complaint" | "link" | "automation" | "api";
  /** When it was decided */
  at: string;
  /** What shows it, such as the id of the message; null if there is nothing */
  proof: Record<string, unknown> | null;
}

export interface Handle {
  id: string;
  createdAt: string;
  updatedAt: string;
  type: "phone_number" | "email" | "instagram_id" | "whatsapp_id";
  /** Whether it is the one of its type that the contact shows as `phoneNumber` or `email` */
  isPrimary: boolean;
  /** Phone numbers as E.164 */
  value: string;
  /** Details from the vendor, such as a profile name */
  extra: Record<string, unknown>;
  /** Over which kinds of channels nothing can be delivered to it, and why. Nothing is sent there */
  undeliverable: Array<{
    channelKind: "whatsapp" | "sms" | "email" | "instagram";
    reason: string;
    at: string;
  }>;
  hasChats: boolean;
}

export interface Contact {
  id: string;
  createdAt: string;
  updatedAt: string;
  firstName: string | null;
  lastName: string | null;
  /** First and last name; empty if neither is known */
  fullName: string;
  /** The full name, or else the phone number, the email or another handle */
  displayName: string;
  /** In which dates are written for the contact; a tag such as `de` or `pt-BR` */
  language: string | null;
  /** In which times are written for the contact; a name such as `Europe/Berlin` */
  timezone: string | null;
  /** False while the contact is unsubscribed from one kind of channel or several */
  isSubscribed: boolean;
  /** What the contact has decided, per kind of channel. One that is missing counts as subscribed */
  subscriptions: Subscription[];
  handles: Handle[];
  labels: Array<{
    id: string;
    name: string;
    color: string | null;
  }>;
  attributes: Array<{
    id: string;
    externalId: string;
    name: string;
    type: string;
    value: string;
  }>;
  phoneNumber: string | null;
  email: string | null;
  chats: Array<{
    id: string;
    channelId: string;
    status: string;
    updatedAt: string;
  }>;
  /** Data that the client stores with the contact, returned unchanged */
  metadata: Record<string, unknown>;
}

/** A decision of a contact. It never changes */
export interface Consent {
  id: string;
  contactId: string;
  channelKind: "whatsapp" | "sms" | "email" | "instagram";
  status: "subscribed" | "unsubscribed";
  /** `contact`: by a word such as STOP; `vendor`: at the vendor; `complaint`: marked as spam; `link`: the link of a mail */
  source: "contact" | "vendor" | "complaint" | "link" | "automation" | "api";
  /** When it was decided */
  at: string;
  /** What shows it, such as the id of the message; null if there is nothing */
  proof: Record<string, unknown> | null;
  createdAt: string;
}

export interface MergedContact {
  id: string;
  createdAt: string;
  updatedAt: string;
  firstName: string | null;
  lastName: string | null;
  /** First and last name; empty if neither is known */
  fullName: string;
  /** The full name, or else the phone number, the email or another handle */
  displayName: string;
  /** In which dates are written for the contact; a tag such as `de` or `pt-BR` */
  language: string | null;
  /** In which times are written for the contact; a name such as `Europe/Berlin` */
  timezone: string | null;
  /** False while the contact is unsubscribed from one kind of channel or several */
  isSubscribed: boolean;
  /** What the contact has decided, per kind of channel. One that is missing counts as subscribed */
  subscriptions: Subscription[];
  handles: Handle[];
  labels: Array<{
    id: string;
    name: string;
    color: string | null;
  }>;
  attributes: Array<{
    id: string;
    externalId: string;
    name: string;
    type: string;
    value: string;
  }>;
  phoneNumber: string | null;
  email: string | null;
  chats: Array<{
    id: string;
    channelId: string;
    status: string;
    updatedAt: string;
  }>;
  /** Data that the client stores with the contact, returned unchanged */
  metadata: Record<string, unknown>;
  /** Chats of both contacts that became one */
  mergedChats: Array<{
    /** The chat that exists no more */
    chatId: string;
    /** The chat that has its messages now */
    intoChatId: string;
  }>;
}

export interface TimelineItem {
  /** That of the event */
  id: string;
  /** The type of the event */
  type: "message.received" | "message.sent" | "message.failed" | "message.echo" | "message.deleted" | "chat.created" | "chat.status_changed" | "chat.assigned" | "chat.deleted" | "note.created" | "note.updated" | "note.deleted" | "contact.created" | "contact.updated" | "contact.merged" | "contact.labels_added" | "contact.labels_removed" | "contact.unsubscribed" | "contact.subscribed" | "automation.run_started" | "automation.run_completed" | "automation.run_failed" | "automation.run_cancelled";
  createdAt: string;
  channelId: string | null;
  chatId: string | null;
  /** The message, chat, note, contact or run; for a merge the contact that exists no more */
  resourceId: string;
  /** Who wrote a message or note; a campaign or automation if it sent the message */
  author: Author | null;
  /** Of a message or note; null if it has none, or in a sensitive chat */
  text: string | null;
  /** The automation of a run */
  automationId: string | null;
  /** What changed, compared with the event about the same contact or chat before */
  changes: Array<{
    /** Such as `status`, `firstName`, `labels`, `attributes.plan` or `subscriptions.email` */
    field: string;
    /** The value before; null if there was none, or if it is not stored any more */
    from: string | null;
    /** The value after; null if there is none */
    to: string | null;
  }>;
}

export interface Author {
  /** `api` is an integration that did not say for which user it writes */
  type: "contact" | "user" | "automation" | "campaign" | "api";
  /** Of the contact, user, automation, campaign or token; null for what was written in the vendor’s app */
  id: string | null;
  /** The name at the time of writing */
  name: string | null;
}

export interface Chat {
  id: string;
  createdAt: string;
  updatedAt: string;
  status: "open" | "snoozed" | "closed";
  isUnread: boolean;
  /** When a snoozed chat opens again by itself */
  snoozedUntil: string | null;
  /** Until when a free-form reply is allowed; null if the channel has no reply window */
  openUntil: string | null;
  unreadCount: number;
  channelId: string;
  contactId: string;
  contact: Contact;
  handleId: string;
  handle: Handle;
  latestMessage: Message | null;
  assignedUserId: string | null;
  assignedTeamId: string | null;
  /** Texts and media of a sensitive chat are left out of events and logs */
  isSensitive: boolean;
  /** Whether automations stay silent when the contact writes or the chat opens: while it is assigned to a user, or as it was set by hand */
  isAutomationPaused: boolean;
  /** Since when the contact waits: its first message that nobody but an automation has answered */
  waitingSince: string | null;
  /** When a person first answered the contact after the chat was opened */
  firstRespondedAt: string | null;
  /** When the chat was closed; null if it is not closed */
  closedAt: string | null;
}

export interface Message {
  id: string;
  chatId: string;
  channelId: string;
  contactId: string;
  contact: {
    id: string;
    displayName: string;
    phoneNumber: string | null;
    email: string | null;
  } | null;
  handle: {
    type: "phone_number" | "email" | "instagram_id" | "whatsapp_id";
    value: string;
  } | null;
  /** The vendor's id of the message */
  vendorId: string | null;
  sender: "inbound" | "outbound" | "system";
  author: Author;
  purpose: "marketing" | "service";
  /** Whether a machine wrote it, such as an out-of-office note. Automations never answer it */
  isAutomatic: boolean;
  type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | "story_reply" | "story_mention" | "comment" | "unsupported";
  /** The text, or the caption of media */
  text: string | null;
  media: Array<{
    /** Null until the file has been fetched from the vendor */
    fileId: string | null;
    /** Downloads the file without a token. Ends after 7 days, or PARLEY_FILE_URL_TTL, if a customer sent the file or it is private */
    url: string | null;
    mimeType: string | null;
    filename: string | null;
    size: number | null;
    /** By which the HTML of a mail names the file: `cid:` and this id. Only if the mail has one */
    contentId?: string;
    /** Why the file could not be fetched, and will not be; `media_gone`: the vendor no longer has it */
    error?: {
      code: string;
      message: string;
    };
  }>;
  /** Further content, depending on the type */
  content: Record<string, unknown>;
  status: "queued" | "sent" | "delivered" | "read" | "failed";
  error: {
    code: string;
    message: string;
  } | null;
  replyToMessageId: string | null;
  /** When it was written, by the vendor’s clock */
  timestamp: string;
  /** When it is or was to be sent; null if it was not scheduled */
  scheduledAt: string | null;
  /** When its author last edited it */
  editedAt: string | null;
  /** When its author deleted it; its content is not kept */
  deletedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** A note of colleagues about a chat. It is never sent to anybody outside */
export interface Note {
  id: string;
  chatId: string;
  channelId: string;
  contactId: string;
  author: Author;
  /** Null in events of sensitive chats */
  text: string | null;
  mentionedUserIds: string[];
  mentionedTeamIds: string[];
  createdAt: string;
  updatedAt: string;
}

export interface AutomationRun {
  id: string;
  automationId: string;
  /** The version that the run uses from its start to its end */
  versionId: string;
  contactId: string;
  /** The chat of the run; null until it has one */
  chatId: string | null;
  campaignId: string | null;
  status: "scheduled" | "running" | "waiting" | "completed" | "failed" | "cancelled";
  /** The variables of the run, defaults included */
  variables: Record<string, unknown>;
  /** When the run was scheduled to start */
  scheduledAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The id of the next step */
  step: string | null;
  error: {
    code: string;
    message: string;
  } | null;
  createdAt: string;
  updatedAt: string;
}

export interface ContactData {
  exportedAt: string;
  contact: Contact;
  /** Contacts that were merged into this one */
  mergedContactIds: string[];
  consents: Consent[];
  chats: Chat[];
  /** In the order of creation; files are at their `url` */
  messages: Message[];
  notes: Note[];
  automationRuns: AutomationRun[];
  /** Of which the contact was a recipient */
  campaigns: Array<{
    id: string;
    name: string;
    createdAt: string;
  }>;
  events: Array<{
    id: string;
    type: string;
    createdAt: string;
    /** The resource as it was then */
    data: Record<string, unknown>;
  }>;
}

export interface Label {
  id: string;
  name: string;
  color: string | null;
  createdAt: string;
  updatedAt: string;
}

/** A saved filter of chats */
export interface View {
  id: string;
  /** Who created it; null for a token */
  userId: string | null;
  name: string;
  /** A filter of chats, as in `POST /v3/chats/search` */
  query: string;
  sortBy: string | null;
  isShared: boolean;
  createdAt: string;
  updatedAt: string;
}

/** A text that users insert by its shortcut */
export interface SavedReply {
  id: string;
  shortcut: string;
  text: string;
  media: Array<{
    fileId: string;
    filename: string;
    mimeType: string;
    /** In bytes */
    size: number;
  }>;
  channelIds: string[];
  createdAt: string;
  updatedAt: string;
}

export interface RenderedReply { text: string }

export interface Attribute {
  id: string;
  name: string;
  externalId: string;
  type: "text" | "number" | "boolean" | "date" | "datetime" | "url" | "select";
  options: string[];
  description: string | null;
  isVisibleQuickEdit: boolean;
  isVisibleContactsTable: boolean;
  isVisibleContactCreate: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface ChatCount {
  key: string;
  /** How many chats match; at most 1000 */
  total: number;
  /** How many of them are unread; at most 1000 */
  unread: number;
  /** Whether more chats match than were counted */
  totalIsCapped: boolean;
}

export interface ChatPresence {
  chatId: string;
  state: "viewing" | "typing" | "left";
  /** Whether the vendor is asked to show it to the contact: only `typing` and `left`, on WhatsApp and Instagram, for a user */
  isShown: boolean;
}

export interface MessageTemplate {
  id: string;
  channelId: string;
  name: string;
  language: string;
  category: "marketing" | "utility" | "authentication";
  /** Only an `approved` template can be sent */
  status: "pending" | "approved" | "rejected" | "paused" | "disabled";
  /** Why the vendor rejected it */
  rejectionReason: string | null;
  /** Why it could not be submitted to the vendor yet; it is tried again */
  problem: string | null;
  /** How recipients react to it, as the vendor says; null as long as the vendor says nothing */
  quality: "green" | "yellow" | "red" | null;
  /** The vendor's id of the template */
  vendorId: string | null;
  body: string;
  header: {
    type: "text" | "image" | "video" | "document" | "location";
    text: string | null;
    url: string | null;
  } | null;
  footer: string | null;
  buttons: Array<{
    type: "quick_reply" | "url" | "phone_number" | "copy_code" | "otp" | "flow" | "catalog";
    text: string;
    url: string | null;
    phoneNumber: string | null;
    /** Of a `copy_code` button: an example */
    code?: string;
    /** Of an `otp` button: how the one-time password gets into the app */
    otp?: {
      /** The contact copies the code, taps once to fill it in, or does nothing */
      type: "copy_code" | "one_tap" | "zero_tap";
      /** Not with `copy_code` */
      autofillText?: string;
      /** The Android apps that get the code; required unless `copy_code` */
      apps?: Array<{
        packageName: string;
        signatureHash: string;
      }>;
    };
    /** Of a `flow` button */
    flow?: {
      flowId: string;
      /** `navigate` by default */
      action?: "navigate" | "data_exchange";
      /** The first screen */
      screen?: string;
    };
  }>;
  cards: Array<{
    header: {
      type: "image" | "video";
      url: string | null;
    };
    body: string | null;
    buttons: Array<{
      type: "quick_reply" | "url" | "phone_number" | "copy_code" | "otp" | "flow" | "catalog";
      text: string;
      url: string | null;
      phoneNumber: string | null;
      /** Of a `copy_code` button: an example */
      code?: string;
      /** Of an `otp` button: how the one-time password gets into the app */
      otp?: {
        /** The contact copies the code, taps once to fill it in, or does nothing */
        type: "copy_code" | "one_tap" | "zero_tap";
        /** Not with `copy_code` */
        autofillText?: string;
        /** The Android apps that get the code; required unless `copy_code` */
        apps?: Array<{
          packageName: string;
          signatureHash: string;
        }>;
      };
      /** Of a `flow` button */
      flow?: {
        flowId: string;
        /** `navigate` by default */
        action?: "navigate" | "data_exchange";
        /** The first screen */
        screen?: string;
      };
    }>;
  }> | null;
  offer: {
    text: string;
    hasExpiration: boolean;
  } | null;
  authentication: {
    hasSecurityRecommendation: boolean;
    codeExpirationMinutes: number | null;
  } | null;
  /** The variables of header, body and buttons, each once, in order of appearance */
  variables: string[];
  createdAt: string;
  updatedAt: string;
}

export interface TemplateSync {
  /** How many were new at the vendor */
  created: number;
  /** How many were different at the vendor */
  updated: number;
  /** How many the vendor no longer has; they are `disabled` now */
  removed: number;
  /** How many the channel has now */
  total: number;
  /** Templates at the vendor that cannot be used here, and why; the first 100 */
  leftOut: Array<{
    name: string;
    language: string;
    reason: string;
  }>;
  leftOutTotal: number;
}

/** Tells a user about a chat */
export interface Notification {
  id: string;
  /** `mentioned` in a note; a chat was `assigned` to the user or to a team of the user; `message_received`, `snooze_ended`: in a chat that is assigned to the user; `message_failed`: a message that the user wrote */
  type: "mentioned" | "assigned" | "message_received" | "snooze_ended" | "message_failed";
  chatId: string;
  channelId: string;
  contact: {
    id: string;
    /** The name, else the number, address or first handle */
    displayName: string;
  };
  /** The user who caused it; null for a contact, a program, or the passing of time */
  causedBy: {
    id: string;
    name: string;
  } | null;
  /** The team that was mentioned, or to which the chat was assigned */
  teamId: string | null;
  noteId: string | null;
  /** The latest message */
  messageId: string | null;
  /** How often it happened since the user last read: one notification stands for all of them */
  count: number;
  isRead: boolean;
  readAt: string | null;
  createdAt: string;
  /** When it happened last */
  updatedAt: string;
}

export interface UnreadNotifications {
  /** How many are unread now */
  unreadCount: number;
}

export interface CreatedApiWebhook {
  id: string;
  url: string;
  status: "active" | "inactive" | "disabled";
  events: Array<{
    /** A name such as `message.received`, or a prefix such as `message.*`; every event if left out */
    type?: string;
    scopes: Array<{
      type: "channel" | "channel_kind";
      /** Ids of channels; of the type `channel_kind`: `whatsapp`, `sms`, `email` or `instagram`, for all channels of the kind, also later ones */
      ids: string[];
    }>;
  }>;
  /** Only on webhooks created through v2: they get the format of v2, until other `events` are set */
  v2Type?: "WHATSAPP_MESSAGE_RECEIVED" | "WHATSAPP_MESSAGE_STATUS" | "SMS_MESSAGE_RECEIVED" | "SMS_MESSAGE_STATUS" | "EMAIL_MESSAGE_RECEIVED" | "EMAIL_MESSAGE_STATUS" | "INSTAGRAM_MESSAGE_RECEIVED" | "INSTAGRAM_MESSAGE_STATUS" | "INSTAGRAM_MESSAGE_ECHO";
  /** The first failure after the last success; after five days of failures the webhook is disabled */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
  /** Signs the deliveries according to Standard Webhooks; cannot be read again */
  secret: string;
}

export interface ApiWebhook {
  id: string;
  url: string;
  status: "active" | "inactive" | "disabled";
  events: Array<{
    /** A name such as `message.received`, or a prefix such as `message.*`; every event if left out */
    type?: string;
    scopes: Array<{
      type: "channel" | "channel_kind";
      /** Ids of channels; of the type `channel_kind`: `whatsapp`, `sms`, `email` or `instagram`, for all channels of the kind, also later ones */
      ids: string[];
    }>;
  }>;
  /** Only on webhooks created through v2: they get the format of v2, until other `events` are set */
  v2Type?: "WHATSAPP_MESSAGE_RECEIVED" | "WHATSAPP_MESSAGE_STATUS" | "SMS_MESSAGE_RECEIVED" | "SMS_MESSAGE_STATUS" | "EMAIL_MESSAGE_RECEIVED" | "EMAIL_MESSAGE_STATUS" | "INSTAGRAM_MESSAGE_RECEIVED" | "INSTAGRAM_MESSAGE_STATUS" | "INSTAGRAM_MESSAGE_ECHO";
  /** The first failure after the last success; after five days of failures the webhook is disabled */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookDelivery {
  id: string;
  webhookId: string;
  /** The `webhook-id` header of every attempt */
  eventId: string;
  eventType: string;
  sequence: number;
  status: "pending" | "delivered" | "failed" | "cancelled";
  attemptCount: number;
  /** Null if there will be none, or while the webhook is paused */
  nextAttemptAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface RotatedApiWebhook {
  id: string;
  url: string;
  status: "active" | "inactive" | "disabled";
  events: Array<{
    /** A name such as `message.received`, or a prefix such as `message.*`; every event if left out */
    type?: string;
    scopes: Array<{
      type: "channel" | "channel_kind";
      /** Ids of channels; of the type `channel_kind`: `whatsapp`, `sms`, `email` or `instagram`, for all channels of the kind, also later ones */
      ids: string[];
    }>;
  }>;
  /** Only on webhooks created through v2: they get the format of v2, until other `events` are set */
  v2Type?: "WHATSAPP_MESSAGE_RECEIVED" | "WHATSAPP_MESSAGE_STATUS" | "SMS_MESSAGE_RECEIVED" | "SMS_MESSAGE_STATUS" | "EMAIL_MESSAGE_RECEIVED" | "EMAIL_MESSAGE_STATUS" | "INSTAGRAM_MESSAGE_RECEIVED" | "INSTAGRAM_MESSAGE_STATUS" | "INSTAGRAM_MESSAGE_ECHO";
  /** The first failure after the last success; after five days of failures the webhook is disabled */
  failingSince: string | null;
  createdAt: string;
  updatedAt: string;
  /** Signs the deliveries according to Standard Webhooks; cannot be read again */
  secret: string;
  /** Until then deliveries are also signed with the old secret */
  oldSecretUntil: string;
}

export interface RecoveryResult {
  /** How many deliveries are due again */
  count: number;
  /** Where to continue, if there were more events than one call takes; null if all are done */
  nextSince: string | null;
}

export interface WebhookDeliveryWithAttempts {
  id: string;
  webhookId: string;
  /** The `webhook-id` header of every attempt */
  eventId: string;
  eventType: string;
  sequence: number;
  status: "pending" | "delivered" | "failed" | "cancelled";
  attemptCount: number;
  /** Null if there will be none, or while the webhook is paused */
  nextAttemptAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** The body of every attempt; null if the event is no longer stored, or the token may not read it */
  requestBody: string | null;
  attempts: Array<{
    number: number;
    startedAt: string;
    timings: {
      lookupMs: number | null;
      connectMs: number | null;
      tlsMs: number | null;
      waitMs: number | null;
      readMs: number | null;
      totalMs: number | null;
    };
    request: {
      url: string | null;
      /** As sent, without the signature, so that a reader cannot repeat the request */
      headers: Record<string, unknown>;
    };
    /** Null if there was no response */
    response: {
      status?: number;
      /** As received */
      headers?: Record<string, unknown>;
      /** The first 1024 bytes */
      body?: string;
    } | null;
    /** Why the attempt failed */
    error: string | null;
  }>;
}

export interface FoundDelivery {
  id: string;
  webhookId: string;
  /** The `webhook-id` header of every attempt */
  eventId: string;
  eventType: string;
  sequence: number;
  status: "pending" | "delivered" | "failed" | "cancelled";
  attemptCount: number;
  /** Null if there will be none, or while the webhook is paused */
  nextAttemptAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** The status code of the last answer; null if there was none */
  responseStatus: number | null;
  /** How long the last attempt took */
  totalMs: number | null;
}

export interface StartedJob {
  jobId: string;
  kind: "delete_tenant" | "delete_channel" | "delete_contact" | "merge_contacts" | "change_chats" | "change_contacts" | "change_runs" | "import_contacts" | "retry_deliveries" | "wake_runs";
  /** `failed`: the action became impossible, for example because its label was deleted. Items that failed alone do not fail the job */
  status: "queued" | "running" | "completed" | "failed" | "cancelled";
  /** What a bulk action does; null for other jobs */
  action: {
    type: "assign" | "status" | "read" | "unread" | "add_label" | "remove_label" | "set_attributes" | "delete" | "cancel" | "retry";
    /** Only of `add_label` and `remove_label`, and required there */
    labelId?: string;
    /** Only of `status` and `add_label`: whether automations on opened or closed chats, or on the label, may start; false by default */
    triggerAutomations?: boolean;
    /** Merged: attributes that are left out stay as they are */
    attributes?: Array<{
      /** The attribute; or give its `id` */
      externalId?: string;
      id?: string;
      /** A value of the type of the attribute; null removes it */
      value: string | number | boolean | null;
    }>;
    /** Only of `assign`: null removes the user; if left out it is not changed */
    userId?: string | null;
    /** Only of `assign`: null removes the team; if left out it is not changed */
    teamId?: string | null;
    /** Only of `status`, and required there */
    status?: "open" | "snoozed" | "closed";
    /** Only of `status`: required for `snoozed`, and only allowed there */
    snoozedUntil?: string;
  } | null;
  /** Who asked for it; null for deletions and merges, and for `wake_runs` */
  author: Author | null;
  /** How many items are done */
  done: number;
  /** How many items there are; null until they are counted */
  total: number | null;
  /** How many items could not be done */
  failed: number;
  /** The first reasons why items failed */
  errors: string[];
  createdAt: string;
  updatedAt: string;
  endedAt: string | null;
}

export interface WebhookStats {
  interval: "hour" | "day";
  intervals: Array<{
    start: string;
    delivered: number;
    /** Also those that were cancelled */
    failed: number;
    pending: number;
    p50Ms: number | null;
    p95Ms: number | null;
  }>;
}

export interface Trace {
  /** The id of the first cause, which is the first of the nodes */
  root: string;
  /** The causes, and after each thing what followed from it: a tree in reading order */
  nodes: Array<{
    /** A UUID, or of a vendor's request the id that the vendor gave its message */
    id: string;
    type: "message" | "event" | "run" | "delivery" | "vendor_request";
    /** When it happened */
    at: string;
    /** Of an event its type, of a message its direction, type and how its text begins, of a run the name of the automation, of a delivery the URL of the webhook, of a vendor’s request the provider */
    summary: string;
    /** The id of the node that it followed from; null for the root */
    causedBy: string | null;
    /** How many causes it has */
    depth: number;
    /** Of a message */
    sender: "inbound" | "outbound" | null;
    /** Of a message, run, delivery or stored request */
    status: string | null;
    /** When the status was last changed */
    updatedAt: string | null;
    /** Of a message: the id that the vendor gave it */
    vendorId: string | null;
    /** Of a message: how its text begins */
    text: string | null;
    /** Whom it is about */
    contactId: string | null;
    /** The chat in which it happened */
    chatId: string | null;
    /** Of a run */
    automationId: string | null;
    /** Of a run that a campaign started */
    campaignId: string | null;
    /** Of a run: whether it had waited for this message and went on. What it did before is left out */
    hasContinued: boolean;
    /** Of a delivery */
    webhookId: string | null;
    error: {
      code: string;
      message: string;
    } | null;
  }>;
  /** False if more followed than is shown */
  isComplete: boolean;
}

export interface User {
  id: string;
  name: string;
  email: string;
  /** What the user may do; `GET /v3/session` shows the scopes of a role */
  role: "owner" | "admin" | "agent" | "viewer";
  /** Whether an agent or viewer sees the chats of all channels, or only those of the channels of its teams. Owners and admins see all */
  access: "all" | "teams";
  /** Whether the user gets no chats in turn, from steps that assign by `round_robin` */
  isAway: boolean;
  /** Whether a person can log in as this user */
  hasLogin: boolean;
  /** Whether there is a link to join as this user, and whether it was accepted */
  invitation: "none" | "pending" | "expired" | "accepted";
  createdAt: string;
  updatedAt: string;
}

export interface Team {
  id: string;
  name: string;
  userIds: string[];
  channelIds: string[];
  createdAt: string;
  updatedAt: string;
}

export interface File {
  id: string;
  /** The base name of the name that the client gave */
  filename: string;
  /** Downloads it without a token. Permanent, except for a private file and one that a customer sent: then it is signed and ends after 7 days, or PARLEY_FILE_URL_TTL */
  url: string;
  /** Whether it has no permanent URL */
  isPrivate: boolean;
  /** Detected from its bytes, not taken from the client */
  mimeType: string;
  /** In bytes */
  size: number;
  /** Of its bytes, in hexadecimal digits */
  sha256: string;
  createdAt: string;
  updatedAt: string;
}

export interface FilePublicUrl {
  /** Valid until the file is deleted */
  publicUrl: string;
}

export interface ApiTrigger {
  type: "api";
  parameters?: { channelId?: string };
}

export interface MessageReceivedTrigger {
  type: "message_received";
  parameters?: {
    channelId?: string;
    fromAutomations?: boolean;
    evenIfAssigned?: boolean;
    keywords?: string[];
  };
}

export interface ChatOpenedTrigger {
  type: "chat_opened";
  parameters?: {
    channelId?: string;
    fromAutomations?: boolean;
    evenIfAssigned?: boolean;
  };
}

export interface ChatClosedTrigger {
  type: "chat_closed";
  parameters?: {
    channelId?: string;
    fromAutomations?: boolean;
  };
}

export interface ContactCreatedTrigger {
  type: "contact_created";
  parameters?: {
    channelId?: string;
    fromAutomations?: boolean;
  };
}

export interface LabelAddedTrigger {
  type: "label_added";
  parameters: {
    channelId?: string;
    fromAutomations?: boolean;
    labelId: string;
  };
}

export interface CampaignTrigger {
  type: "campaign";
  parameters?: { channelId?: string };
}

export interface ScheduleTrigger {
  type: "schedule";
  parameters: {
    channelId?: string;
    rrule: string;
    timezone?: string;
    audience: string;
  };
}

export type Trigger = ApiTrigger | MessageReceivedTrigger | ChatOpenedTrigger | ChatClosedTrigger | ContactCreatedTrigger | LabelAddedTrigger | CampaignTrigger | ScheduleTrigger;

export interface SendMessageStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "send_message";
  parameters?: {
    text?: string;
    type?: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "email";
    media?: {
      fileId?: string;
      url?: string;
      filename?: string;
      /** Of the file at `url`; by default from its name */
      mimeType?: string;
    } | Array<{
      fileId?: string;
      url?: string;
      filename?: string;
      /** Of the file at `url`; by default from its name */
      mimeType?: string;
    }>;
    interactive?: {
      header?: { text: string };
      footer?: string;
      buttons?: Array<{
        id: string;
        title: string;
      }>;
      list?: {
        button: string;
        sections: Array<{
          title?: string;
          rows: Array<{
            id: string;
            title: string;
            description?: string;
          }>;
        }>;
      };
      link?: {
        title: string;
        url: string;
      };
      flow?: {
        flowId?: string;
        name?: string;
        button: string;
        token?: string;
        mode?: "draft" | "published";
        action?: "navigate" | "data_exchange";
        screen?: string;
        data?: Record<string, unknown>;
      };
      product?: {
        catalogId: string;
        productId: string;
      };
      productList?: {
        catalogId: string;
        sections: Array<{
          title?: string;
          productIds: string[];
        }>;
      };
      catalog?: { thumbnailProductId: string };
      locationRequest?: Record<string, never>;
      cards?: Array<{
        title: string;
        subtitle?: string;
        imageUrl?: string;
        url?: string;
        buttons?: Array<{
          title: string;
          id?: string;
          url?: string;
        }>;
      }>;
    };
    email?: {
      subject: string;
      html?: string;
      cc?: string[];
    };
    location?: {
      latitude: number;
      longitude: number;
      name?: string;
      address?: string;
    };
    contacts?: Array<{
      name: string;
      firstName?: string;
      lastName?: string;
      organization?: string;
      department?: string;
      title?: string;
      birthday?: string;
      phoneNumbers?: string[];
      emails?: string[];
      urls?: string[];
      addresses?: Array<{
        street?: string;
        city?: string;
        state?: string;
        zip?: string;
        country?: string;
        countryCode?: string;
      }>;
    }>;
    /** To a message, by default to the one that the run is about. An empty `emoji` removes it */
    reaction?: {
      messageId?: string;
      emoji: string;
    };
    /** The message that it quotes, such as `{{ message.id }}`, the one that the run is about. None if it is empty */
    replyToMessageId?: string;
    channelId?: string;
  };
}

export interface SendTemplateStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "send_template";
  parameters: {
    templateId: string;
    variables?: Record<string, string>;
    header?: {
      fileId?: string;
      url?: string;
      filename?: string;
      location?: {
        latitude: number;
        longitude: number;
        name: string;
        address: string;
      };
    };
    couponCode?: string;
    offerExpiresAt?: string;
    cards?: Array<{
      variables?: Record<string, string>;
      header?: {
        fileId?: string;
        url?: string;
        filename?: string;
      };
    }>;
  };
}

export interface WaitStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "wait";
  parameters?: {
    for?: string;
    until?: string;
    /** Waits until the channel of the chat is open by its business hours, or the tenant for a run without a channel. Goes on at once while it is */
    untilOpen?: true;
  };
}

export interface WaitForReplyStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "wait_for_reply";
  parameters: {
    timeout: string;
    onTimeout?: string;
  };
}

export interface BranchStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "branch";
  parameters: {
    cases: Array<{
      when: string;
      next: string;
    }>;
    else?: string;
  };
}

export interface SetAttributeStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "set_attribute";
  parameters: {
    externalId: string;
    value: string;
  };
}

export interface AddLabelStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "add_label";
  parameters: { labelId: string };
}

export interface RemoveLabelStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "remove_label";
  parameters: { labelId: string };
}

export interface AssignStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "assign";
  parameters?: {
    userId?: string | null;
    teamId?: string | null;
    /** Assigns the chat to `teamId`, and in turn to one of its members who is not away and sees the channel. Without it the team alone is assigned */
    strategy?: "round_robin";
    /** With `strategy`: members with so many open chats are left out */
    maxOpenChats?: number;
  };
}

export interface SetChatStatusStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "set_chat_status";
  parameters: {
    status: "open" | "snoozed" | "closed";
    snoozedUntil?: string;
  };
}

export interface HttpRequestStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "http_request";
  parameters: {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    url: string;
    headers?: Record<string, string>;
    body?: string;
    saveAs?: string;
    signWith?: string;
  };
}

export interface SubscribeStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "subscribe";
  parameters?: { channelKind?: "whatsapp" | "sms" | "email" | "instagram" };
}

export interface UnsubscribeStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "unsubscribe";
  parameters?: { channelKind?: "whatsapp" | "sms" | "email" | "instagram" };
}

export interface EndStep {
  /** Unique in the definition */
  id: string;
  /** The id of the next step. Default: the following step */
  next?: string;
  type: "end";
  parameters?: Record<string, never>;
}

export type Step = SendMessageStep | SendTemplateStep | WaitStep | WaitForReplyStep | BranchStep | SetAttributeStep | AddLabelStep | RemoveLabelStep | AssignStep | SetChatStatusStep | HttpRequestStep | SubscribeStep | UnsubscribeStep | EndStep;

/** A version never changes */
export interface AutomationVersion {
  id: string;
  /** Counts from 1 */
  number: number;
  purpose: "marketing" | "service";
  trigger: Trigger;
  variables: Array<{
    /** Texts and conditions use it as `variables.<name>` */
    name: string;
    type: "string" | "number" | "boolean";
    /** Whether a run needs a value for it to start */
    required?: boolean;
    /** The value if none is given */
    default?: string | number | boolean;
  }>;
  steps: Step[];
  createdAt: string;
}

export interface Automation {
  id: string;
  createdAt: string;
  updatedAt: string;
  name: string;
  status: "draft" | "active" | "inactive" | "archived";
  /** The version that new runs use; null if none was published */
  activeVersionId: string | null;
  activeVersionTriggerType: "api" | "message_received" | "chat_opened" | "chat_closed" | "contact_created" | "label_added" | "campaign" | "schedule" | null;
  activeVersionTriggerParametersChannelId: string | null;
  latestVersionTriggerType: "api" | "message_received" | "chat_opened" | "chat_closed" | "contact_created" | "label_added" | "campaign" | "schedule";
  latestVersionTriggerParametersChannelId: string | null;
  /** The version that was saved last */
  latestVersionId: string;
  /** A version never changes */
  activeVersion: AutomationVersion | null;
  latestVersion: AutomationVersion;
}

/** A run with the trace of its steps */
export interface AutomationRunWithTrace {
  id: string;
  automationId: string;
  /** The version that the run uses from its start to its end */
  versionId: string;
  contactId: string;
  /** The chat of the run; null until it has one */
  chatId: string | null;
  campaignId: string | null;
  status: "scheduled" | "running" | "waiting" | "completed" | "failed" | "cancelled";
  /** The variables of the run, defaults included */
  variables: Record<string, unknown>;
  /** When the run was scheduled to start */
  scheduledAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The id of the next step */
  step: string | null;
  error: {
    code: string;
    message: string;
  } | null;
  createdAt: string;
  updatedAt: string;
  trace: Array<{
    /** Counts from 1 */
    number: number;
    /** The id of the step */
    step: string;
    type: "send_message" | "send_template" | "wait" | "wait_for_reply" | "branch" | "set_attribute" | "add_label" | "remove_label" | "assign" | "set_chat_status" | "http_request" | "subscribe" | "unsubscribe" | "end";
    status: "running" | "waiting" | "completed" | "failed" | "cancelled";
    /** What the step did; depends on its type */
    detail: Record<string, unknown>;
    error: {
      code: string;
      message: string;
    } | null;
    startedAt: string;
    endedAt: string | null;
  }>;
}

export interface AutomationCheck {
  /** Empty for a definition with which nothing is wrong */
  issues: Array<{
    /** Such as `steps.2.parameters.cases.0.next` */
    path: string;
    code: "invalid_type" | "invalid_string" | "invalid_enum_value" | "too_small" | "too_big" | "invalid_date" | "unrecognized_keys" | "invalid_union" | "custom" | "unreachable_step" | "loop_without_wait" | "unknown_variable" | "unknown_answer" | "unknown_attribute" | "missing_variables" | "no_channel" | "always_open" | "never_open";
    message: string;
    /** `error`: saving or publishing would be refused. `warning`: allowed, but probably not meant; only of a definition without errors */
    severity: "error" | "warning";
  }>;
}

export interface AutomationDryRun {
  automationId: string;
  /** Null for a definition that is not saved */
  versionId: string | null;
  contactId: string;
  /** Why the given message would not start the automation; null if it would, or without one */
  startReason: {
    code: "not_active" | "published_later" | "other_trigger" | "triggers_off" | "unsubscribed" | "other_channel" | "automatic_mail" | "no_keyword" | "other_label" | "from_automation" | "assigned_to_user" | "paused" | "chain_too_deep" | "missing_variables";
    message: string;
  } | null;
  /** `stopped` if the dry run ended before the run did */
  status: "completed" | "failed" | "cancelled" | "stopped";
  /** After 300 steps, or after some seconds */
  stoppedBy: "too_many_steps" | "too_slow" | null;
  startedAt: string;
  /** When the last step would be done */
  endedAt: string;
  /** The variables of the run, defaults included */
  variables: Record<string, unknown>;
  error: {
    code: string;
    message: string;
  } | null;
  trace: Array<{
    /** Counts from 1 */
    number: number;
    /** The id of the step */
    step: string;
    type: "send_message" | "send_template" | "wait" | "wait_for_reply" | "branch" | "set_attribute" | "add_label" | "remove_label" | "assign" | "set_chat_status" | "http_request" | "subscribe" | "unsubscribe" | "end";
    status: "running" | "waiting" | "completed" | "failed" | "cancelled";
    error: {
      code: string;
      message: string;
    } | null;
    endedAt: string | null;
    /** When the step would begin */
    at: string;
    /** The parameters of the step. Of `http_request` the call: `method`, `url`, `headers` and `body` (both null if it uses secrets), `usesSecrets` */
    input: Record<string, unknown>;
    /** What came of it: the message that the step would send, the `status` and `body` of the response of a call, else what the trace of a run has as `detail` */
    output: Record<string, unknown>;
    /** What decided: the case of a branch with the values that it compared, the time of a wait, the error, else the step before */
    why: string;
    /** Whether no response was given for the call; null for a step without one */
    isAssumed: boolean | null;
  }>;
  /** What the run would send, in order */
  messages: Array<{
    text: string | null;
    /** The id of the step that would send it */
    step: string;
    at: string;
    channelId: string;
    /** Null for a chat that would be created */
    chatId: string | null;
    type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | "story_reply" | "story_mention" | "comment" | "unsupported";
    media: Array<Record<string, unknown>>;
    /** Depends on the type */
    content: Record<string, unknown>;
  }>;
  /** What of the contact and of the chat would be different at the end */
  changes: Array<{
    /** Such as `status`, `firstName`, `labels`, `attributes.plan` or `subscriptions.email` */
    field: string;
    /** The value before; null if there was none, or if it is not stored any more */
    from: string | null;
    /** The value after; null if there is none */
    to: string | null;
  }>;
}

export interface AutomationExplanation {
  automationId: string;
  name: string;
  /** The version that was in force at the event; null if none was */
  versionId: string | null;
  /** The event that started it, or that came nearest to it: a message can also open a chat */
  eventId: string;
  started: boolean;
  /** The run. With `missing_variables` and `chain_too_deep` it failed before its first step */
  runId: string | null;
  /** The run that waited for the message as a reply and went on with it, also if the automation did not start another one */
  continuedRunId: string | null;
  /** Why it did not start; empty if it did */
  reasons: Array<{
    code: "not_active" | "published_later" | "other_trigger" | "triggers_off" | "unsubscribed" | "other_channel" | "automatic_mail" | "no_keyword" | "other_label" | "from_automation" | "assigned_to_user" | "paused" | "chain_too_deep" | "missing_variables";
    message: string;
  }>;
}

export interface AutomationFunnel {
  automationId: string;
  versionId: string | null;
  from: string | null;
  to: string | null;
  /** How many runs there are */
  runs: number;
  /** False if there are more than 100,000: then the latest count */
  isComplete: boolean;
  /** In the order of the version, or of the latest one; steps of other versions follow */
  steps: Array<{
    /** The id of the step */
    step: string;
    type: "send_message" | "send_template" | "wait" | "wait_for_reply" | "branch" | "set_attribute" | "add_label" | "remove_label" | "assign" | "set_chat_status" | "http_request" | "subscribe" | "unsubscribe" | "end";
    /** How many runs came to the step */
    entered: number;
    /** How many completed it and went on */
    left: number;
    /** How many wait in it, or execute it at the moment */
    waiting: number;
    /** How many failed in it */
    failed: number;
    /** How many ended with it: they were completed or cancelled */
    ended: number;
  }>;
}

/** A secret without its value */
export interface Secret {
  id: string;
  name: string;
  createdAt: string;
  /** When its value was last set */
  updatedAt: string;
}

/** A saved filter of contacts: all who match it now belong to it */
export interface Segment {
  id: string;
  name: string;
  /** A filter of contacts, as in `POST /v3/contacts/search` */
  query: string;
  createdAt: string;
  updatedAt: string;
}

export interface SegmentCount {
  /** How many contacts match now */
  total: number;
  /** Whether more match: counting ends at 100,000 */
  totalIsCapped: boolean;
}

export interface HoursState {
  at: string;
  /** The zone of the business hours */
  timezone: string;
  isOpen: boolean;
  /** When it opens next; null while it is open, and if it never does */
  opensAt: string | null;
  /** When it closes next; null while it is closed, and if it stays open for a month */
  closesAt: string | null;
  /** Whether marketing waits */
  isQuiet: boolean;
  /** When the quiet hours end; null outside of them */
  quietUntil: string | null;
}

export interface CampaignWithCounts {
  id: string;
  channelId: string;
  name: string;
  status: "draft" | "scheduled" | "running" | "paused" | "completed" | "cancelled" | "failed";
  /** The automation that runs for each recipient; null for a draft that has a `message` */
  automationId: string | null;
  /** What each recipient gets, instead of an automation. Complete when the campaign starts; a draft may have a part of it */
  message: {
    /** Liquid, as in a `send_message` step */
    text?: string;
    /** Of an email; Liquid */
    subject?: string;
    media?: {
      /** An uploaded file */
      fileId?: string;
      url?: string;
      filename?: string;
    };
    /** A template instead of a text */
    template?: {
      /** A template of the channel */
      templateId: string;
      variables?: Record<string, string>;
      /** The picture, video or document of its header, instead of the default one of the template; or its place */
      header?: {
        /** An uploaded file */
        fileId?: string;
        /** The URL of a file */
        url?: string;
        filename?: string;
        /** The place of a `location` header */
        location?: {
          latitude: number;
          longitude: number;
          name: string;
          address: string;
        };
      };
    };
  } | null;
  messageTemplateId: string | null;
  /** The picture, video or document of its header, instead of the default one of the template; or its place */
  templateHeader: {
    /** An uploaded file */
    fileId?: string;
    /** The URL of a file */
    url?: string;
    filename?: string;
    /** The place of a `location` header */
    location?: {
      latitude: number;
      longitude: number;
      name: string;
      address: string;
    };
  } | null;
  purpose: "marketing" | "service";
  closeChats: boolean;
  isScheduled: boolean;
  scheduledAt: string | null;
  isReoccurring: boolean;
  /** As they were sent */
  recurrenceRules: string[];
  timezone: string;
  /** As they were sent */
  variables: Array<{
    name: string;
    /** Parsed as the type that the automation declares */
    value: string;
  }>;
  audience: string | null;
  /** The segment of the audience; `audience` is its filter when the last occurrence began */
  segmentId: string | null;
  /** Whether it was made by `POST /v3/campaigns/{campaignId}/test` */
  isTest: boolean;
  /** When it first started */
  startedAt: string | null;
  /** The time of the next occurrence */
  nextOccurrenceAt: string | null;
  /** Why it failed */
  error: {
    code: string;
    message: string;
  } | null;
  createdAt: string;
  updatedAt: string;
  /** The number of recipients in each status, for the current or last occurrence. Contacts that `audience` matches count from its start on */
  recipientCounts: {
    queued: number;
    sent: number;
    delivered: number;
    read: number;
    failed: number;
    skipped: number;
  };
  /** Recipients who are sent to later, because it is quiet for them; null if nobody waits */
  waiting: {
    /** Why they wait */
    reason: "quiet_hours";
    /** How many wait */
    recipients: number;
    /** When the first of them goes on, unless the campaign is paused */
    until: string;
  } | null;
}

export interface CampaignPreview {
  /** How many contacts there are: those given, and those of the audience */
  matched: number;
  /** Whether there are more: counting ends at 100,000 */
  matchedIsCapped: boolean;
  /** How many of them `sendable` and `skipped` are about: at most 5,000 */
  examined: number;
  /** How many of those examined can be sent to now */
  sendable: number;
  /** How many of those examined cannot be sent to, by reason; only reasons that occur */
  skipped: {
    no_handle?: number;
    unsubscribed?: number;
    opted_out?: number;
    undeliverable?: number;
    window_closed?: number;
  };
  /** The messages to up to five contacts, as they would be sent; without `contacts:read` only to those who are no contacts yet */
  samples: Array<{
    contactId: string;
    displayName: string;
    /** What the contact would get at once: the messages until the run waits or ends, at most 20 */
    messages: Message[];
    /** Why there is no message: the run would fail, or wait before it sends */
    error: {
      code: string;
      message: string;
    } | null;
  }>;
  /** Those for whom it is quiet when the campaign starts, and who are sent to later; null if nobody waits */
  quietHours: {
    /** How many of those that can be sent to wait */
    recipients: number;
    /** When the first of them would be sent to */
    from: string;
    /** When the last of them would be sent to */
    until: string;
  } | null;
  /** How long sending takes at the rate of the channel, if all that are not examined are like the others; at least so long if `matchedIsCapped` */
  estimatedMinutes: number;
}

export interface Campaign {
  id: string;
  channelId: string;
  name: string;
  status: "draft" | "scheduled" | "running" | "paused" | "completed" | "cancelled" | "failed";
  /** The automation that runs for each recipient; null for a draft that has a `message` */
  automationId: string | null;
  /** What each recipient gets, instead of an automation. Complete when the campaign starts; a draft may have a part of it */
  message: {
    /** Liquid, as in a `send_message` step */
    text?: string;
    /** Of an email; Liquid */
    subject?: string;
    media?: {
      /** An uploaded file */
      fileId?: string;
      url?: string;
      filename?: string;
    };
    /** A template instead of a text */
    template?: {
      /** A template of the channel */
      templateId: string;
      variables?: Record<string, string>;
      /** The picture, video or document of its header, instead of the default one of the template; or its place */
      header?: {
        /** An uploaded file */
        fileId?: string;
        /** The URL of a file */
        url?: string;
        filename?: string;
        /** The place of a `location` header */
        location?: {
          latitude: number;
          longitude: number;
          name: string;
          address: string;
        };
      };
    };
  } | null;
  messageTemplateId: string | null;
  /** The picture, video or document of its header, instead of the default one of the template; or its place */
  templateHeader: {
    /** An uploaded file */
    fileId?: string;
    /** The URL of a file */
    url?: string;
    filename?: string;
    /** The place of a `location` header */
    location?: {
      latitude: number;
      longitude: number;
      name: string;
      address: string;
    };
  } | null;
  purpose: "marketing" | "service";
  closeChats: boolean;
  isScheduled: boolean;
  scheduledAt: string | null;
  isReoccurring: boolean;
  /** As they were sent */
  recurrenceRules: string[];
  timezone: string;
  /** As they were sent */
  variables: Array<{
    name: string;
    /** Parsed as the type that the automation declares */
    value: string;
  }>;
  audience: string | null;
  /** The segment of the audience; `audience` is its filter when the last occurrence began */
  segmentId: string | null;
  /** Whether it was made by `POST /v3/campaigns/{campaignId}/test` */
  isTest: boolean;
  /** When it first started */
  startedAt: string | null;
  /** The time of the next occurrence */
  nextOccurrenceAt: string | null;
  /** Why it failed */
  error: {
    code: string;
    message: string;
  } | null;
  createdAt: string;
  updatedAt: string;
}

export interface Recipient {
  contactId: string;
  status: "queued" | "sent" | "delivered" | "read" | "failed" | "skipped";
  skipReason: "no_handle" | "unsubscribed" | "opted_out" | "undeliverable" | "window_closed" | null;
  /** Why the recipient failed or was skipped */
  code: string | null;
  /** The run in this occurrence; null until it starts */
  runId: string | null;
  /** The first message of the run, which determines the status */
  messageId: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ImportIssue {
  /** As a spreadsheet counts: the header is row 1 */
  row: number;
  /** The name of the column; null if it is the whole row */
  column: string | null;
  /** What is wrong; `duplicate_in_file` if an earlier row has the phone number or the email address */
  reason: string;
}

export interface Import {
  /** Also the id of its job */
  id: string;
  fileId: string;
  filename: string;
  /** `failed`: the file cannot be read, or what it needs was deleted; see `error` */
  status: "queued" | "running" | "completed" | "failed" | "cancelled";
  dryRun: boolean;
  /** What the columns are that are imported */
  mapping: Record<string, string>;
  defaultCountry: string | null;
  onExisting: "skip" | "update";
  labelIds: string[];
  publishEvents: boolean;
  triggerAutomations: boolean;
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1250" | "windows-1251" | "windows-1252";
  delimiter: "," | ";" | "\t" | "|";
  author: Author;
  /** How many rows there are; null until they are counted */
  total: number | null;
  /** Rows that became a new contact */
  created: number;
  /** Rows of contacts that existed */
  updated: number;
  /** Rows of contacts that existed and stayed as they are */
  skipped: number;
  /** Rows with issues. Nothing of them is stored */
  failed: number;
  /** The first 100 */
  issues: ImportIssue[];
  /** Why the import failed */
  error: string | null;
  createdAt: string;
  updatedAt: string;
  endedAt: string | null;
}

export interface ExaminedImport {
  encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1250" | "windows-1251" | "windows-1252";
  delimiter: "," | ";" | "\t" | "|";
  /** The columns of the file with what they probably are */
  columns: Array<{
    /** The name of the column in the first row of the file */
    name: string;
    /** What the column is: `firstName`, `lastName`, `fullName`, `phoneNumber`, `email`, `language`, `timezone`, `isSubscribed`, `labels`, `attributes.` and the `externalId` of an attribute, or `metadata.` and a key; null if that is unknown */
    field: string | null;
    /** The first values, cut at 200 characters */
    samples: string[];
  }>;
  /** The cells of the first rows below the names, in the order of `columns`, cut at 200 characters */
  rows: Array<string[]>;
}

export interface Job {
  id: string;
  kind: "delete_tenant" | "delete_channel" | "delete_contact" | "merge_contacts" | "change_chats" | "change_contacts" | "change_runs" | "import_contacts" | "retry_deliveries" | "wake_runs";
  /** `failed`: the action became impossible, for example because its label was deleted. Items that failed alone do not fail the job */
  status: "queued" | "running" | "completed" | "failed" | "cancelled";
  /** What a bulk action does; null for other jobs */
  action: {
    type: "assign" | "status" | "read" | "unread" | "add_label" | "remove_label" | "set_attributes" | "delete" | "cancel" | "retry";
    /** Only of `add_label` and `remove_label`, and required there */
    labelId?: string;
    /** Only of `status` and `add_label`: whether automations on opened or closed chats, or on the label, may start; false by default */
    triggerAutomations?: boolean;
    /** Merged: attributes that are left out stay as they are */
    attributes?: Array<{
      /** The attribute; or give its `id` */
      externalId?: string;
      id?: string;
      /** A value of the type of the attribute; null removes it */
      value: string | number | boolean | null;
    }>;
    /** Only of `assign`: null removes the user; if left out it is not changed */
    userId?: string | null;
    /** Only of `assign`: null removes the team; if left out it is not changed */
    teamId?: string | null;
    /** Only of `status`, and required there */
    status?: "open" | "snoozed" | "closed";
    /** Only of `status`: required for `snoozed`, and only allowed there */
    snoozedUntil?: string;
  } | null;
  /** Who asked for it; null for deletions and merges, and for `wake_runs` */
  author: Author | null;
  /** How many items are done */
  done: number;
  /** How many items there are; null until they are counted */
  total: number | null;
  /** How many items could not be done */
  failed: number;
  /** The first reasons why items failed */
  errors: string[];
  createdAt: string;
  updatedAt: string;
  endedAt: string | null;
}

export interface ReportRow {
  /** When the interval begins */
  at: string;
  group: {
    /** The id of the channel, user, campaign or automation, or the author */
    id: string | null;
    /** Null if it was deleted */
    name: string | null;
  } | null;
  /** Messages of contacts */
  received?: number;
  /** Messages that were sent; of campaigns: recipients to whom the first message was sent. They count when they were written, scheduled ones when they were sent */
  sent?: number;
  /** Messages, recipients or runs that failed */
  failed?: number;
  /** New chats */
  opened?: number;
  /** Closed chats that were opened again */
  reopened?: number;
  /** How often chats were closed */
  closed?: number;
  /** Messages that users wrote */
  replies?: number;
  /** First replies of a person, or of the API, after a chat was opened */
  firstResponses?: number;
  /** The average of first responses in seconds, exactly; null without any */
  firstResponseAverageSeconds?: number | null;
  /** The median of first responses in seconds, to within 5 % */
  firstResponseMedianSeconds?: number | null;
  /** 90 % of first responses took at most so many seconds, to within 5 % */
  firstResponseP90Seconds?: number | null;
  /** Later replies to contacts who waited */
  laterResponses?: number;
  /** The average of later responses in seconds, exactly; null without any */
  laterResponseAverageSeconds?: number | null;
  /** The median of later responses in seconds, to within 5 % */
  laterResponseMedianSeconds?: number | null;
  /** 90 % of later responses took at most so many seconds, to within 5 % */
  laterResponseP90Seconds?: number | null;
  /** Recipients whose first message was delivered */
  delivered?: number;
  /** Recipients who read it, as far as the channel reports that */
  read?: number;
  /** Recipients who wrote within 7 days, and before the next campaign */
  replied?: number;
  /** Recipients who unsubscribed within 7 days, and before the next campaign */
  optedOut?: number;
  /** Runs that started */
  started?: number;
  /** Runs that were completed by now */
  completed?: number;
  /** Runs that were cancelled */
  cancelled?: number;
}

export interface HeldWork {
  /** What positions in event streams begin with after a restore; 0: there was none, and positions are bare sequences */
  epoch: number;
  /** Null: nothing is held */
  heldSince: string | null;
  /** How much is held in each queue; queues without held work are left out */
  queues: Array<{
    queue: string;
    held: number;
  }>;
}

export interface V2Usage {
  tenantId: string;
  tenantName: string;
  tokenId: string;
  /** Null if the token is deleted */
  tokenName: string | null;
  /** Method and path, such as `GET /v2/attributes` */
  operation: string;
  /** Successful and failed ones */
  calls: number;
  lastCalledAt: string;
}

export interface TenantV2Usage {
  tokenId: string;
  /** Null if the token is deleted */
  tokenName: string | null;
  /** Method and path, such as `GET /v2/attributes` */
  operation: string;
  /** Successful and failed ones */
  calls: number;
  lastCalledAt: string;
}

export interface ErasedContact { id: string }

export interface MergedContacts {
  contact: Contact;
  /** The contact that exists no more; what it had belongs to `contact` */
  mergedContactId: string;
  /** Chats of both contacts that became one */
  mergedChats: Array<{
    /** The chat that exists no more */
    chatId: string;
    /** The chat that has its messages now */
    intoChatId: string;
  }>;
}

export interface UpdateTenantSettingsBody {
  /** The name of the tenant */
  name?: string | undefined;
  /** The name of a time zone, such as `Europe/Berlin` */
  timezone?: string | undefined;
  /** A language tag such as `de` or `pt-BR` */
  locale?: string | undefined;
  /** When it is open, in local time. Hours over midnight are written as two: `["22:00","24:00"]`, and `["00:00","02:00"]` on the day after. Null: always open */
  businessHours?: {
    /** The zone in which they are meant, such as `Europe/Berlin`; that of the tenant if left out */
    timezone?: string | undefined;
    /** The hours of this day of the week; closed if left out */
    mon?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    tue?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    wed?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    thu?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    fri?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sat?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sun?: Array<string[]> | undefined;
    /** Dates on which it is closed all day */
    closedOn?: string[] | undefined;
    /** Dates with other hours than their day of the week */
    exceptions?: Array<{
      /** A date such as `2026-12-25` */
      date: string;
      /** The hours of this date */
      hours: Array<string[]>;
    }> | undefined;
  } | null | undefined;
  /** When no marketing is sent, in the time zone of each contact. Replies of people and messages with the purpose `service` are sent at any time. Null: none */
  quietHours?: {
    /** When they begin, such as `21:00` */
    from?: string | undefined;
    /** When they end, such as `08:00`; before `from` it is the next day */
    to?: string | undefined;
    /** The zone for contacts without a zone of their own; that of the tenant if left out */
    timezone?: string | undefined;
    /** True: no quiet hours, without `from` and `to`. So a channel has none although its tenant has some */
    isOff?: boolean | undefined;
  } | null | undefined;
}

export interface CreateTokenBody {
  /** What the token is for */
  name: string;
  /** The rights of the token; `*` is all of them */
  scopes: Array<"chats:read" | "chats:write" | "chats:delete" | "contacts:read" | "contacts:write" | "contacts:delete" | "messages:read" | "messages:write" | "channels:read" | "channels:write" | "attributes:read" | "attributes:write" | "webhooks:read" | "webhooks:write" | "automations:read" | "automations:write" | "automations:trigger" | "campaigns:read" | "campaigns:write" | "templates:read" | "templates:write" | "files:read" | "files:write" | "events:read" | "users:read" | "users:write" | "tokens:read" | "tokens:write" | "audit:read" | "reports:read" | "tenant:read" | "tenant:write" | "*">;
  /** Lifetime in seconds, at most a year; 90 days if left out */
  expiresIn?: number | undefined;
}

export interface SearchBody {
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** An order: asc(field) or desc(field), comma-separated. Ties are broken by id; null comes last in asc and first in desc. */
  sortBy?: string | undefined;
  /** A part of the resource's name, ignoring case, or an exact id. Blank text is ignored. */
  search?: string | undefined;
  pagination?: {
    page?: number | undefined;
    limit?: number | undefined;
    /** The nextCursor of a response to the same query, sortBy and search: starts after its last row, at the same speed at any depth. Takes precedence over page. */
    cursor?: string | undefined;
    /** False if nobody needs the total: matches after the page need not be counted then, which is faster where there are many. total is how many there are up to the end of the page, with totalIsCapped if more may follow. */
    withTotal?: boolean | undefined;
  } | undefined;
}

export interface CreateTenantBody {
  /** The name of the tenant */
  name: string;
  /** `scale` if left out */
  plan?: "free" | "growth" | "scale" | undefined;
  /** Requests per minute, instead of the plan's */
  rateLimit?: number | undefined;
  /** Creates a test tenant: its clock stands still until `POST /v3/clock/advance` moves it. This cannot be changed later */
  isTest?: boolean | undefined;
}

export interface UpdateTenantBody {
  /** The name of the tenant */
  name?: string | undefined;
  plan?: "free" | "growth" | "scale" | undefined;
  /** Requests per minute, instead of the plan's */
  rateLimit?: number | null | undefined;
  /** Instead of the plan's limits */
  limits?: {
    webhooks?: number | null | undefined;
    activeAutomations?: number | null | undefined;
    runsPerMinute?: number | null | undefined;
    streams?: number | null | undefined;
    storedFailedRequests?: number | null | undefined;
    storageBytes?: number | null | undefined;
    unfinishedJobs?: number | null | undefined;
    segments?: number | null | undefined;
    inboxViews?: number | null | undefined;
    savedReplies?: number | null | undefined;
    secrets?: number | null | undefined;
  } | undefined;
}

export interface CreateTenantTokenBody {
  /** What the token is for */
  name?: string | undefined;
  /** The rights of the token; `*` is all of them */
  scopes?: Array<"chats:read" | "chats:write" | "chats:delete" | "contacts:read" | "contacts:write" | "contacts:delete" | "messages:read" | "messages:write" | "channels:read" | "channels:write" | "attributes:read" | "attributes:write" | "webhooks:read" | "webhooks:write" | "automations:read" | "automations:write" | "automations:trigger" | "campaigns:read" | "campaigns:write" | "templates:read" | "templates:write" | "files:read" | "files:write" | "events:read" | "users:read" | "users:write" | "tokens:read" | "tokens:write" | "audit:read" | "reports:read" | "tenant:read" | "tenant:write" | "*"> | undefined;
  /** Lifetime in seconds, at most a year; 90 days if left out */
  expiresIn?: number | undefined;
}

export interface LogInBody {
  email: string;
  password: string;
  /** The six digits that the authenticator app shows, or a recovery code */
  code?: string | undefined;
}

export interface RequestPasswordResetBody { email: string }

export interface RedeemLinkBody {
  /** What the link has after `#` */
  token: string;
  /** The new password; for an invitation of somebody who has an account already, the password of that account */
  password?: string | undefined;
  /** The six digits that the authenticator app shows, or a recovery code */
  code?: string | undefined;
  /** By default as in the invitation */
  name?: string | undefined;
  /** For a first login; others have theirs */
  email?: string | undefined;
  /** For a first login where no tenant exists: what the new one is called; by default `Main`. Otherwise it has no effect */
  tenantName?: string | undefined;
}

export interface DescribeLinkBody {
  /** What the link has after `#` */
  token: string;
}

export interface UpdatePersonBody { name: string }

export interface ChangePasswordBody {
  current: string;
  /** At least 10 characters, and none of the common passwords */
  next: string;
}

export interface EnrolTotpBody { password?: string | undefined }

export interface ConfirmTotpBody {
  /** The six digits that the authenticator app shows, or a recovery code */
  code: string;
}

export interface DisableTotpBody {
  /** The six digits that the authenticator app shows, or a recovery code */
  code: string;
}

export interface CreateLoginLinkBody {
  /** The person with this address logs in; without it, somebody new becomes an operator */
  email?: string | undefined;
}

export interface AdvanceClockBody {
  /** The time to move the clock to */
  to?: string | undefined;
  /** How far to move the clock, as an ISO 8601 duration such as `PT36H` or `P1M`; days and longer units follow the calendar in UTC */
  by?: string | undefined;
}

export interface CreateChannelBody {
  /** The kind of channel */
  kind: "whatsapp" | "sms" | "email" | "instagram";
  /** The vendor; `sandbox` needs no account */
  provider: "sandbox" | "whatsapp_cloud" | "instagram" | "twilio" | "smtp";
  name: string;
  /** What customers write to: a phone number, an email address, an account */
  address: string;
  /** Settings of the provider; credentials are stored encrypted and never returned */
  config?: Record<string, unknown> | undefined;
  /** Messages that unsubscribe; null: the usual ones of twelve languages */
  optOutWords?: string[] | null | undefined;
  /** Messages that subscribe again; null: start, unstop, subscribe */
  optInWords?: string[] | null | undefined;
  /** Answers an opt-out; null: a sentence in the language of the word; empty: nothing. On SMS the carrier confirms it */
  optOutConfirmation?: string | null | undefined;
  /** When it is open, in local time. Hours over midnight are written as two: `["22:00","24:00"]`, and `["00:00","02:00"]` on the day after. Null: those of the tenant */
  businessHours?: {
    /** The zone in which they are meant, such as `Europe/Berlin`; that of the tenant if left out */
    timezone?: string | undefined;
    /** The hours of this day of the week; closed if left out */
    mon?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    tue?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    wed?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    thu?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    fri?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sat?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sun?: Array<string[]> | undefined;
    /** Dates on which it is closed all day */
    closedOn?: string[] | undefined;
    /** Dates with other hours than their day of the week */
    exceptions?: Array<{
      /** A date such as `2026-12-25` */
      date: string;
      /** The hours of this date */
      hours: Array<string[]>;
    }> | undefined;
  } | null | undefined;
  /** When no marketing is sent, in the time zone of each contact. Replies of people and messages with the purpose `service` are sent at any time. Null: those of the tenant */
  quietHours?: {
    /** When they begin, such as `21:00` */
    from?: string | undefined;
    /** When they end, such as `08:00`; before `from` it is the next day */
    to?: string | undefined;
    /** The zone for contacts without a zone of their own; that of the tenant if left out */
    timezone?: string | undefined;
    /** True: no quiet hours, without `from` and `to`. So a channel has none although its tenant has some */
    isOff?: boolean | undefined;
  } | null | undefined;
}

export interface UpdateChannelBody {
  name?: string | undefined;
  /** What customers write to: a phone number, an email address, an account */
  address?: string | undefined;
  /** Merged into the stored settings: what is left out is not changed, null removes a setting */
  config?: Record<string, unknown> | undefined;
  /** Messages that unsubscribe; null: the usual ones of twelve languages */
  optOutWords?: string[] | null | undefined;
  /** Messages that subscribe again; null: start, unstop, subscribe */
  optInWords?: string[] | null | undefined;
  /** Answers an opt-out; null: a sentence in the language of the word; empty: nothing. On SMS the carrier confirms it */
  optOutConfirmation?: string | null | undefined;
  /** When it is open, in local time. Hours over midnight are written as two: `["22:00","24:00"]`, and `["00:00","02:00"]` on the day after. Null: those of the tenant */
  businessHours?: {
    /** The zone in which they are meant, such as `Europe/Berlin`; that of the tenant if left out */
    timezone?: string | undefined;
    /** The hours of this day of the week; closed if left out */
    mon?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    tue?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    wed?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    thu?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    fri?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sat?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sun?: Array<string[]> | undefined;
    /** Dates on which it is closed all day */
    closedOn?: string[] | undefined;
    /** Dates with other hours than their day of the week */
    exceptions?: Array<{
      /** A date such as `2026-12-25` */
      date: string;
      /** The hours of this date */
      hours: Array<string[]>;
    }> | undefined;
  } | null | undefined;
  /** When no marketing is sent, in the time zone of each contact. Replies of people and messages with the purpose `service` are sent at any time. Null: those of the tenant */
  quietHours?: {
    /** When they begin, such as `21:00` */
    from?: string | undefined;
    /** When they end, such as `08:00`; before `from` it is the next day */
    to?: string | undefined;
    /** The zone for contacts without a zone of their own; that of the tenant if left out */
    timezone?: string | undefined;
    /** True: no quiet hours, without `from` and `to`. So a channel has none although its tenant has some */
    isOff?: boolean | undefined;
  } | null | undefined;
  /** Cannot be changed */
  kind?: string | undefined;
  /** Cannot be changed */
  provider?: string | undefined;
}

export interface WriteInSandboxBody {
  /** The sender: a phone number, email address or Instagram id, depending on the kind of channel */
  from: string;
  /** The text, or the caption of a file */
  text?: string | undefined;
  /** By default from the other parameters */
  type?: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | "story_reply" | "story_mention" | "comment" | "unsupported" | undefined;
  /** One or several files, each by `fileId` or by `url` */
  media?: {
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file */
    url?: string | undefined;
    /** The MIME type of the file at `url`, such as `image/png` */
    mimeType?: string | undefined;
    filename?: string | undefined;
  } | Array<{
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file */
    url?: string | undefined;
    /** The MIME type of the file at `url`, such as `image/png` */
    mimeType?: string | undefined;
    filename?: string | undefined;
  }> | undefined;
  /** Further content, depending on the type, as in messages */
  content?: Record<string, unknown> | undefined;
  /** The message that it replies or reacts to */
  replyToMessageId?: string | undefined;
  /** The name in the customer's profile */
  name?: string | undefined;
}

export interface ReadInSandboxBody {
  /** The customer who reads, as in `inbound` */
  from: string;
}

export interface SetSandboxFaultsBody {
  /** Each request of the vendor is sent twice: messages, echoes and statuses */
  duplicate?: boolean | undefined;
  /** The statuses of a message are sent in reverse order */
  reorder?: boolean | undefined;
  /** Every n-th attempt to send is refused temporarily: the message is not accepted, and Parley tries again; 1: every attempt, 0: none */
  failEvery?: number | undefined;
  /** How long the answer to a send takes after the message is accepted, in real time */
  delayMs?: number | undefined;
  /** The first report about a message does not wait for the answer to the send: on WhatsApp and Instagram an echo, on other channels the first status. With `delayMs` it comes before the answer */
  echoBeforeResponse?: boolean | undefined;
}

export interface RecordConsentBody {
  /** The kinds of channels that it is about; all of them by default */
  channelKinds?: Array<"whatsapp" | "sms" | "email" | "instagram"> | undefined;
  status: "subscribed" | "unsubscribed";
  /** When it was decided, not in the future; now by default */
  at?: string | undefined;
  /** What shows it, such as the form and the address, up to 4,096 characters of JSON */
  proof?: Record<string, unknown> | null | undefined;
}

export interface CreateContactBody {
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  /** In which dates are written for the contact; a tag such as `de` or `pt-BR` */
  language?: string | null | undefined;
  /** In which times are written for the contact; a name such as `Europe/Berlin` */
  timezone?: string | null | undefined;
  /** With + and the country code, such as `+15550001111` */
  phoneNumber?: string | null | undefined;
  email?: string | null | undefined;
  /** All handles of the contact; replaces the earlier list */
  handles?: Array<{
    type: "phone_number" | "email" | "instagram_id" | "whatsapp_id";
    value: string;
    /** Whether it is the primary handle of its type; if none is, the first one becomes primary */
    isPrimary?: boolean | undefined;
  }> | undefined;
  /** Replaces the earlier list */
  labels?: Array<{ id: string }> | undefined;
  /** Merged: attributes that are left out stay as they are */
  attributes?: Array<{
    /** The attribute; or give its `id` */
    externalId?: string | undefined;
    id?: string | undefined;
    /** A value of the type of the attribute; null removes it */
    value: string | number | boolean | null;
  }> | undefined;
  /** Subscribes to all kinds of channels, or unsubscribes from all of them; true for a new contact */
  isSubscribed?: boolean | undefined;
  /** Data of the client to store with the contact, up to 16,384 characters of JSON */
  metadata?: Record<string, unknown> | null | undefined;
}

export interface MergeContactsBody {
  /** The contact that disappears */
  fromContactId: string;
  /** True changes nothing, and answers what would be; false by default */
  dryRun?: boolean | undefined;
}

export interface UpdateContactBody {
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  /** In which dates are written for the contact; a tag such as `de` or `pt-BR` */
  language?: string | null | undefined;
  /** In which times are written for the contact; a name such as `Europe/Berlin` */
  timezone?: string | null | undefined;
  /** With + and the country code, such as `+15550001111` */
  phoneNumber?: string | null | undefined;
  email?: string | null | undefined;
  /** All handles of the contact; replaces the earlier list */
  handles?: Array<{
    type: "phone_number" | "email" | "instagram_id" | "whatsapp_id";
    value: string;
    /** Whether it is the primary handle of its type; if none is, the first one becomes primary */
    isPrimary?: boolean | undefined;
  }> | undefined;
  /** Replaces the earlier list */
  labels?: Array<{ id: string }> | undefined;
  /** Merged: attributes that are left out stay as they are */
  attributes?: Array<{
    /** The attribute; or give its `id` */
    externalId?: string | undefined;
    id?: string | undefined;
    /** A value of the type of the attribute; null removes it */
    value: string | number | boolean | null;
  }> | undefined;
  /** Subscribes to all kinds of channels, or unsubscribes from all of them; true for a new contact */
  isSubscribed?: boolean | undefined;
  /** Data of the client to store with the contact, up to 16,384 characters of JSON */
  metadata?: Record<string, unknown> | null | undefined;
}

export interface AddContactLabelsBody {
  /** Labels to add */
  labels: Array<{ id: string }>;
}

export interface CreateLabelBody {
  /** Unique in the tenant, not case-sensitive */
  name: string;
  /** Such as `#0f766e` */
  color?: string | null | undefined;
}

export interface UpdateLabelBody {
  /** Unique in the tenant, not case-sensitive */
  name?: string | undefined;
  /** Such as `#0f766e` */
  color?: string | null | undefined;
}

export interface CreateViewBody {
  name: string;
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query: string;
  /** An order: asc(field) or desc(field), comma-separated. Ties are broken by id; null comes last in asc and first in desc. */
  sortBy?: string | null | undefined;
  /** Whether all users see it. A view that a token creates is always shared */
  isShared?: boolean | undefined;
}

export interface UpdateViewBody {
  name?: string | undefined;
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** An order: asc(field) or desc(field), comma-separated. Ties are broken by id; null comes last in asc and first in desc. */
  sortBy?: string | null | undefined;
  /** Whether all users see it. A view that a token creates is always shared */
  isShared?: boolean | undefined;
}

export interface CreateSavedReplyBody {
  /** What is typed after a slash, without spaces. Unique in the tenant, not case-sensitive */
  shortcut: string;
  /** May contain Liquid without loops: `{{ contact.firstName }}`, `{{ attributes.city }}`, `{{ user.name }}`, conditions */
  text: string;
  /** One or several uploaded files */
  media?: { fileId: string } | Array<{ fileId: string }> | undefined;
  /** The channels that it is for; empty for all */
  channelIds?: string[] | undefined;
}

export interface UpdateSavedReplyBody {
  /** What is typed after a slash, without spaces. Unique in the tenant, not case-sensitive */
  shortcut?: string | undefined;
  /** May contain Liquid without loops: `{{ contact.firstName }}`, `{{ attributes.city }}`, `{{ user.name }}`, conditions */
  text?: string | undefined;
  /** One or several uploaded files */
  media?: { fileId: string } | Array<{ fileId: string }> | undefined;
  /** The channels that it is for; empty for all */
  channelIds?: string[] | undefined;
}

export interface RenderSavedReplyBody {
  /** The chat that it will be sent in */
  chatId: string;
}

export interface CreateAttributeBody {
  name: string;
  externalId: string;
  /** `text` if left out */
  type?: "text" | "number" | "boolean" | "date" | "datetime" | "url" | "select" | undefined;
  /** The values that a `select` may have */
  options?: string[] | undefined;
  description?: string | null | undefined;
  isVisibleQuickEdit?: boolean | undefined;
  isVisibleContactsTable?: boolean | undefined;
  isVisibleContactCreate?: boolean | undefined;
}

export interface UpdateAttributeBody {
  name?: string | undefined;
  /** The values that a `select` may have */
  options?: string[] | undefined;
  description?: string | null | undefined;
  isVisibleQuickEdit?: boolean | undefined;
  isVisibleContactsTable?: boolean | undefined;
  isVisibleContactCreate?: boolean | undefined;
}

export interface CreateChatBody {
  contactId: string;
  channelId: string;
}

export interface CountChatsBody {
  views: Array<{
    /** Identifies the count in the answer */
    key: string;
    /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
    query?: string | undefined;
  }>;
}

export interface UpdateChatBody { isSensitive: boolean }

export interface SetChatStatusBody {
  /** Whether automations on opened or closed chats may start; false by default */
  triggerAutomations?: boolean | undefined;
  /** `closed` by default */
  status?: "open" | "snoozed" | "closed" | undefined;
  /** Required for `snoozed`, and only allowed there */
  snoozedUntil?: string | undefined;
}

export interface MarkChatBody {
  /** True marks it as unread; false by default */
  isUnread?: boolean | undefined;
  /** The user who has read the chat */
  userId?: string | undefined;
}

export interface SetChatPresenceBody {
  /** `left`: the person no longer types or looks at the chat */
  state: "viewing" | "typing" | "left";
  /** The user who looks or types. Without one, nothing is shown: a program does neither */
  userId?: string | undefined;
}

export interface AssignChatBody {
  /** Null removes the assignment; if left out it is not changed */
  userId?: string | null | undefined;
  /** Null removes the assignment; if left out it is not changed */
  teamId?: string | null | undefined;
}

export interface PauseChatAutomationBody {
  /** True also ends what automations wait for in the chat */
  isPaused: boolean;
}

export interface CreateMessageTemplateBody {
  channelId: string;
  /** Unique in its channel and language; on WhatsApp only `a` to `z`, digits and `_` */
  name: string;
  /** Such as `en` or `en_US` */
  language: string;
  /** The purpose; `utility` by default */
  category?: "marketing" | "utility" | "authentication" | undefined;
  /** With variables as `{{name}}` or `{{1}}`; on WhatsApp at most 1024 characters. With an `otp` button WhatsApp writes it, with the code as `{{1}}`: leave it out */
  body?: string | undefined;
  header?: {
    type: "text" | "image" | "video" | "document" | "location";
    /** The text of a `text` header; may have variables; on WhatsApp at most 60 characters */
    text?: string | null | undefined;
    /** The default file of an image, video or document; a message may have its own */
    url?: string | null | undefined;
  } | null | undefined;
  /** Without variables; on WhatsApp at most 60 characters */
  footer?: string | null | undefined;
  /** On WhatsApp at most 10 */
  buttons?: Array<{
    /** Those after `phone_number` exist on WhatsApp only */
    type: "quick_reply" | "url" | "phone_number" | "copy_code" | "otp" | "flow" | "catalog";
    /** Without variables; on WhatsApp at most 25 characters. May be left out for `copy_code` and `otp` */
    text?: string | undefined;
    /** The URL of a `url` button; may have variables */
    url?: string | null | undefined;
    /** The number of a `phone_number` button */
    phoneNumber?: string | null | undefined;
    /** Of a `copy_code` button: an example */
    code?: string | undefined;
    /** Of an `otp` button: how the one-time password gets into the app */
    otp?: {
      /** The contact copies the code, taps once to fill it in, or does nothing */
      type: "copy_code" | "one_tap" | "zero_tap";
      /** Not with `copy_code` */
      autofillText?: string | undefined;
      /** The Android apps that get the code; required unless `copy_code` */
      apps?: Array<{
        packageName: string;
        signatureHash: string;
      }> | undefined;
    } | undefined;
    /** Of a `flow` button */
    flow?: {
      flowId: string;
      /** `navigate` by default */
      action?: "navigate" | "data_exchange" | undefined;
      /** The first screen */
      screen?: string | undefined;
    } | undefined;
  }> | undefined;
  /** A carousel, on WhatsApp: cards side by side, all with the same kinds of parts */
  cards?: Array<{
    header: {
      type: "image" | "video";
      /** The default file; a message may have its own */
      url?: string | null | undefined;
    };
    /** Its variables belong to this card */
    body?: string | null | undefined;
    buttons: Array<{
      /** Those after `phone_number` exist on WhatsApp only */
      type: "quick_reply" | "url" | "phone_number" | "copy_code" | "otp" | "flow" | "catalog";
      /** Without variables; on WhatsApp at most 25 characters. May be left out for `copy_code` and `otp` */
      text?: string | undefined;
      /** The URL of a `url` button; may have variables */
      url?: string | null | undefined;
      /** The number of a `phone_number` button */
      phoneNumber?: string | null | undefined;
      /** Of a `copy_code` button: an example */
      code?: string | undefined;
      /** Of an `otp` button: how the one-time password gets into the app */
      otp?: {
        /** The contact copies the code, taps once to fill it in, or does nothing */
        type: "copy_code" | "one_tap" | "zero_tap";
        /** Not with `copy_code` */
        autofillText?: string | undefined;
        /** The Android apps that get the code; required unless `copy_code` */
        apps?: Array<{
          packageName: string;
          signatureHash: string;
        }> | undefined;
      } | undefined;
      /** Of a `flow` button */
      flow?: {
        flowId: string;
        /** `navigate` by default */
        action?: "navigate" | "data_exchange" | undefined;
        /** The first screen */
        screen?: string | undefined;
      } | undefined;
    }>;
  }> | null | undefined;
  /** A limited-time offer, on WhatsApp; only for marketing and without a footer */
  offer?: {
    text: string;
    /** Whether a countdown is shown; a message then needs `offerExpiresAt` */
    hasExpiration?: boolean | undefined;
  } | null | undefined;
  /** What WhatsApp writes around a one-time password; only with an `otp` button */
  authentication?: {
    /** Whether WhatsApp adds not to share the code */
    hasSecurityRecommendation?: boolean | undefined;
    /** WhatsApp adds when the code ends */
    codeExpirationMinutes?: number | null | undefined;
  } | null | undefined;
}

export interface UpdateMessageTemplateBody {
  /** Cannot be changed */
  channelId?: string | undefined;
  /** Unique in its channel and language; on WhatsApp only `a` to `z`, digits and `_` */
  name?: string | undefined;
  /** Such as `en` or `en_US` */
  language?: string | undefined;
  /** The purpose; `utility` by default */
  category?: "marketing" | "utility" | "authentication" | undefined;
  /** With variables as `{{name}}` or `{{1}}`; on WhatsApp at most 1024 characters. With an `otp` button WhatsApp writes it, with the code as `{{1}}`: leave it out */
  body?: string | undefined;
  header?: {
    type: "text" | "image" | "video" | "document" | "location";
    /** The text of a `text` header; may have variables; on WhatsApp at most 60 characters */
    text?: string | null | undefined;
    /** The default file of an image, video or document; a message may have its own */
    url?: string | null | undefined;
  } | null | undefined;
  /** Without variables; on WhatsApp at most 60 characters */
  footer?: string | null | undefined;
  /** On WhatsApp at most 10 */
  buttons?: Array<{
    /** Those after `phone_number` exist on WhatsApp only */
    type: "quick_reply" | "url" | "phone_number" | "copy_code" | "otp" | "flow" | "catalog";
    /** Without variables; on WhatsApp at most 25 characters. May be left out for `copy_code` and `otp` */
    text?: string | undefined;
    /** The URL of a `url` button; may have variables */
    url?: string | null | undefined;
    /** The number of a `phone_number` button */
    phoneNumber?: string | null | undefined;
    /** Of a `copy_code` button: an example */
    code?: string | undefined;
    /** Of an `otp` button: how the one-time password gets into the app */
    otp?: {
      /** The contact copies the code, taps once to fill it in, or does nothing */
      type: "copy_code" | "one_tap" | "zero_tap";
      /** Not with `copy_code` */
      autofillText?: string | undefined;
      /** The Android apps that get the code; required unless `copy_code` */
      apps?: Array<{
        packageName: string;
        signatureHash: string;
      }> | undefined;
    } | undefined;
    /** Of a `flow` button */
    flow?: {
      flowId: string;
      /** `navigate` by default */
      action?: "navigate" | "data_exchange" | undefined;
      /** The first screen */
      screen?: string | undefined;
    } | undefined;
  }> | undefined;
  /** A carousel, on WhatsApp: cards side by side, all with the same kinds of parts */
  cards?: Array<{
    header: {
      type: "image" | "video";
      /** The default file; a message may have its own */
      url?: string | null | undefined;
    };
    /** Its variables belong to this card */
    body?: string | null | undefined;
    buttons: Array<{
      /** Those after `phone_number` exist on WhatsApp only */
      type: "quick_reply" | "url" | "phone_number" | "copy_code" | "otp" | "flow" | "catalog";
      /** Without variables; on WhatsApp at most 25 characters. May be left out for `copy_code` and `otp` */
      text?: string | undefined;
      /** The URL of a `url` button; may have variables */
      url?: string | null | undefined;
      /** The number of a `phone_number` button */
      phoneNumber?: string | null | undefined;
      /** Of a `copy_code` button: an example */
      code?: string | undefined;
      /** Of an `otp` button: how the one-time password gets into the app */
      otp?: {
        /** The contact copies the code, taps once to fill it in, or does nothing */
        type: "copy_code" | "one_tap" | "zero_tap";
        /** Not with `copy_code` */
        autofillText?: string | undefined;
        /** The Android apps that get the code; required unless `copy_code` */
        apps?: Array<{
          packageName: string;
          signatureHash: string;
        }> | undefined;
      } | undefined;
      /** Of a `flow` button */
      flow?: {
        flowId: string;
        /** `navigate` by default */
        action?: "navigate" | "data_exchange" | undefined;
        /** The first screen */
        screen?: string | undefined;
      } | undefined;
    }>;
  }> | null | undefined;
  /** A limited-time offer, on WhatsApp; only for marketing and without a footer */
  offer?: {
    text: string;
    /** Whether a countdown is shown; a message then needs `offerExpiresAt` */
    hasExpiration?: boolean | undefined;
  } | null | undefined;
  /** What WhatsApp writes around a one-time password; only with an `otp` button */
  authentication?: {
    /** Whether WhatsApp adds not to share the code */
    hasSecurityRecommendation?: boolean | undefined;
    /** WhatsApp adds when the code ends */
    codeExpirationMinutes?: number | null | undefined;
  } | null | undefined;
}

export interface SyncMessageTemplatesBody { channelId: string }

export interface SendChatMessageBody {
  /** By default from the other parameters */
  type?: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | undefined;
  /** The text, or the caption of media */
  text?: string | undefined;
  /** One or several files, each by `fileId` or by `url` */
  media?: {
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file that the vendor can fetch */
    url?: string | undefined;
    /** The MIME type of the file at `url`, such as `image/png`; by default from its name */
    mimeType?: string | undefined;
    filename?: string | undefined;
  } | Array<{
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file that the vendor can fetch */
    url?: string | undefined;
    /** The MIME type of the file at `url`, such as `image/png`; by default from its name */
    mimeType?: string | undefined;
    filename?: string | undefined;
  }> | undefined;
  template?: {
    templateId: string;
    /** A text for each variable of the template */
    variables?: Record<string, unknown> | undefined;
    /** The picture, video or document of its header, instead of the default one of the template; or its place */
    header?: {
      /** An uploaded file */
      fileId?: string | undefined;
      /** The URL of a file */
      url?: string | undefined;
      filename?: string | undefined;
      /** The place of a `location` header */
      location?: {
        latitude: number;
        longitude: number;
        name: string;
        address: string;
      } | undefined;
    } | undefined;
    /** For a `copy_code` button */
    couponCode?: string | undefined;
    /** When the offer of the template ends: in the future */
    offerExpiresAt?: string | undefined;
    /** For each card of a carousel its variables and its file */
    cards?: Array<{
      /** A text for each variable of the card */
      variables?: Record<string, unknown> | undefined;
      header?: {
        /** An uploaded file */
        fileId?: string | undefined;
        /** The URL of a file */
        url?: string | undefined;
        filename?: string | undefined;
      } | undefined;
    }> | undefined;
  } | undefined;
  interactive?: {
    /** Above the text; or give one file in `media` with buttons */
    header?: { text: string } | undefined;
    /** Below the text */
    footer?: string | undefined;
    /** On WhatsApp up to 3 buttons, on Instagram up to 13 quick replies */
    buttons?: Array<{
      /** Returned with the choice of the customer */
      id: string;
      title: string;
    }> | undefined;
    list?: {
      /** The text of the button that opens the list */
      button: string;
      sections: Array<{
        title?: string | undefined;
        rows: Array<{
          /** Returned with the choice of the customer */
          id: string;
          title: string;
          description?: string | undefined;
        }>;
      }>;
    } | undefined;
    /** A button that opens a page; on WhatsApp and Instagram */
    link?: {
      /** The text of the button */
      title: string;
      /** An http or https URL */
      url: string;
    } | undefined;
    /** A form of several screens; on WhatsApp */
    flow?: {
      /** The flow; or give its `name` */
      flowId?: string | undefined;
      name?: string | undefined;
      /** The text of the button that opens the flow */
      button: string;
      /** Returned with the answer; the id of the message by default */
      token?: string | undefined;
      /** `published` by default */
      mode?: "draft" | "published" | undefined;
      /** `navigate` by default; with `data_exchange` its endpoint decides */
      action?: "navigate" | "data_exchange" | undefined;
      /** The first screen; by default the first one of the flow */
      screen?: string | undefined;
      /** What the first screen gets, up to 16,384 characters of JSON */
      data?: Record<string, unknown> | undefined;
    } | undefined;
    /** One product of the catalogue; on WhatsApp */
    product?: {
      catalogId: string;
      /** The id in the catalogue that the retailer gave it */
      productId: string;
    } | undefined;
    /** Up to 30 products of the catalogue; needs a header; on WhatsApp */
    productList?: {
      catalogId: string;
      sections: Array<{
        /** Required if there are several sections */
        title?: string | undefined;
        productIds: string[];
      }>;
    } | undefined;
    /** A button that opens the whole catalogue; on WhatsApp */
    catalog?: {
      /** The product whose picture is shown */
      thumbnailProductId: string;
    } | undefined;
    /** A button by which the contact sends its location; on WhatsApp */
    locationRequest?: Record<string, never> | undefined;
    /** Cards side by side, without a text; on Instagram */
    cards?: Array<{
      title: string;
      subtitle?: string | undefined;
      /** An http or https URL */
      imageUrl?: string | undefined;
      /** An http or https URL */
      url?: string | undefined;
      buttons?: Array<{
        title: string;
        /** Returned with the choice of the customer; or give `url` */
        id?: string | undefined;
        /** An http or https URL */
        url?: string | undefined;
      }> | undefined;
    }> | undefined;
  } | undefined;
  reaction?: {
    /** A message of the same chat */
    messageId: string;
    /** Empty removes the reaction */
    emoji: string;
  } | undefined;
  location?: {
    latitude: number;
    longitude: number;
    name?: string | undefined;
    address?: string | undefined;
  } | undefined;
  /** Cards of contacts; on WhatsApp */
  contacts?: Array<{
    /** The whole name, as it is shown */
    name: string;
    firstName?: string | undefined;
    lastName?: string | undefined;
    organization?: string | undefined;
    department?: string | undefined;
    title?: string | undefined;
    /** As 1815-12-10 */
    birthday?: string | undefined;
    phoneNumbers?: string[] | undefined;
    emails?: string[] | undefined;
    urls?: string[] | undefined;
    addresses?: Array<{
      street?: string | undefined;
      city?: string | undefined;
      state?: string | undefined;
      zip?: string | undefined;
      country?: string | undefined;
      countryCode?: string | undefined;
    }> | undefined;
  }> | undefined;
  email?: {
    subject: string;
    html?: string | undefined;
    cc?: string[] | undefined;
  } | undefined;
  /** A message of the same chat */
  replyToMessageId?: string | undefined;
  /** `service` by default. `marketing` is refused if the contact is unsubscribed */
  purpose?: "marketing" | "service" | undefined;
  /** When it is to be sent: in the future, at most a year ahead */
  scheduledAt?: string | undefined;
  /** The user in whose name this is written; the token itself by default */
  userId?: string | undefined;
}

export interface SendMessageBody {
  channelId: string;
  /** The recipient */
  contactId?: string | undefined;
  /** Instead of `contactId`: a phone number, email address or Instagram id, depending on the kind of channel; an unknown recipient becomes a contact */
  to?: string | undefined;
  /** By default from the other parameters */
  type?: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | undefined;
  /** The text, or the caption of media */
  text?: string | undefined;
  /** One or several files, each by `fileId` or by `url` */
  media?: {
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file that the vendor can fetch */
    url?: string | undefined;
    /** The MIME type of the file at `url`, such as `image/png`; by default from its name */
    mimeType?: string | undefined;
    filename?: string | undefined;
  } | Array<{
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file that the vendor can fetch */
    url?: string | undefined;
    /** The MIME type of the file at `url`, such as `image/png`; by default from its name */
    mimeType?: string | undefined;
    filename?: string | undefined;
  }> | undefined;
  template?: {
    templateId: string;
    /** A text for each variable of the template */
    variables?: Record<string, unknown> | undefined;
    /** The picture, video or document of its header, instead of the default one of the template; or its place */
    header?: {
      /** An uploaded file */
      fileId?: string | undefined;
      /** The URL of a file */
      url?: string | undefined;
      filename?: string | undefined;
      /** The place of a `location` header */
      location?: {
        latitude: number;
        longitude: number;
        name: string;
        address: string;
      } | undefined;
    } | undefined;
    /** For a `copy_code` button */
    couponCode?: string | undefined;
    /** When the offer of the template ends: in the future */
    offerExpiresAt?: string | undefined;
    /** For each card of a carousel its variables and its file */
    cards?: Array<{
      /** A text for each variable of the card */
      variables?: Record<string, unknown> | undefined;
      header?: {
        /** An uploaded file */
        fileId?: string | undefined;
        /** The URL of a file */
        url?: string | undefined;
        filename?: string | undefined;
      } | undefined;
    }> | undefined;
  } | undefined;
  interactive?: {
    /** Above the text; or give one file in `media` with buttons */
    header?: { text: string } | undefined;
    /** Below the text */
    footer?: string | undefined;
    /** On WhatsApp up to 3 buttons, on Instagram up to 13 quick replies */
    buttons?: Array<{
      /** Returned with the choice of the customer */
      id: string;
      title: string;
    }> | undefined;
    list?: {
      /** The text of the button that opens the list */
      button: string;
      sections: Array<{
        title?: string | undefined;
        rows: Array<{
          /** Returned with the choice of the customer */
          id: string;
          title: string;
          description?: string | undefined;
        }>;
      }>;
    } | undefined;
    /** A button that opens a page; on WhatsApp and Instagram */
    link?: {
      /** The text of the button */
      title: string;
      /** An http or https URL */
      url: string;
    } | undefined;
    /** A form of several screens; on WhatsApp */
    flow?: {
      /** The flow; or give its `name` */
      flowId?: string | undefined;
      name?: string | undefined;
      /** The text of the button that opens the flow */
      button: string;
      /** Returned with the answer; the id of the message by default */
      token?: string | undefined;
      /** `published` by default */
      mode?: "draft" | "published" | undefined;
      /** `navigate` by default; with `data_exchange` its endpoint decides */
      action?: "navigate" | "data_exchange" | undefined;
      /** The first screen; by default the first one of the flow */
      screen?: string | undefined;
      /** What the first screen gets, up to 16,384 characters of JSON */
      data?: Record<string, unknown> | undefined;
    } | undefined;
    /** One product of the catalogue; on WhatsApp */
    product?: {
      catalogId: string;
      /** The id in the catalogue that the retailer gave it */
      productId: string;
    } | undefined;
    /** Up to 30 products of the catalogue; needs a header; on WhatsApp */
    productList?: {
      catalogId: string;
      sections: Array<{
        /** Required if there are several sections */
        title?: string | undefined;
        productIds: string[];
      }>;
    } | undefined;
    /** A button that opens the whole catalogue; on WhatsApp */
    catalog?: {
      /** The product whose picture is shown */
      thumbnailProductId: string;
    } | undefined;
    /** A button by which the contact sends its location; on WhatsApp */
    locationRequest?: Record<string, never> | undefined;
    /** Cards side by side, without a text; on Instagram */
    cards?: Array<{
      title: string;
      subtitle?: string | undefined;
      /** An http or https URL */
      imageUrl?: string | undefined;
      /** An http or https URL */
      url?: string | undefined;
      buttons?: Array<{
        title: string;
        /** Returned with the choice of the customer; or give `url` */
        id?: string | undefined;
        /** An http or https URL */
        url?: string | undefined;
      }> | undefined;
    }> | undefined;
  } | undefined;
  reaction?: {
    /** A message of the same chat */
    messageId: string;
    /** Empty removes the reaction */
    emoji: string;
  } | undefined;
  location?: {
    latitude: number;
    longitude: number;
    name?: string | undefined;
    address?: string | undefined;
  } | undefined;
  /** Cards of contacts; on WhatsApp */
  contacts?: Array<{
    /** The whole name, as it is shown */
    name: string;
    firstName?: string | undefined;
    lastName?: string | undefined;
    organization?: string | undefined;
    department?: string | undefined;
    title?: string | undefined;
    /** As 1815-12-10 */
    birthday?: string | undefined;
    phoneNumbers?: string[] | undefined;
    emails?: string[] | undefined;
    urls?: string[] | undefined;
    addresses?: Array<{
      street?: string | undefined;
      city?: string | undefined;
      state?: string | undefined;
      zip?: string | undefined;
      country?: string | undefined;
      countryCode?: string | undefined;
    }> | undefined;
  }> | undefined;
  email?: {
    subject: string;
    html?: string | undefined;
    cc?: string[] | undefined;
  } | undefined;
  /** A message of the same chat */
  replyToMessageId?: string | undefined;
  /** `service` by default. `marketing` is refused if the contact is unsubscribed */
  purpose?: "marketing" | "service" | undefined;
  /** When it is to be sent: in the future, at most a year ahead */
  scheduledAt?: string | undefined;
  /** The user in whose name this is written; the token itself by default */
  userId?: string | undefined;
}

export interface CreateNoteBody {
  /** Only colleagues see it */
  text: string;
  /** The users whom the note is to reach. Each gets a notification, except the author */
  mentionedUserIds?: string[] | undefined;
  /** The teams whom the note is to reach: every member gets a notification */
  mentionedTeamIds?: string[] | undefined;
  /** The user in whose name this is written; the token itself by default */
  userId?: string | undefined;
}

export interface UpdateNoteBody {
  /** Only colleagues see it */
  text?: string | undefined;
  /** The users whom the note is to reach. Each gets a notification, except the author */
  mentionedUserIds?: string[] | undefined;
  /** The teams whom the note is to reach: every member gets a notification */
  mentionedTeamIds?: string[] | undefined;
}

export interface ReadNotificationsBody {
  /** These notifications */
  ids?: string[] | undefined;
  /** All of them, instead of `ids` */
  all?: true | undefined;
}

export interface CreateApiWebhookBody {
  /** Where events are POSTed to; http or https */
  url: string;
  events: Array<{
    /** A name such as `message.received`, or a prefix such as `message.*`; every event if left out */
    type?: string | undefined;
    /** Only events of these channels, or of all channels of these kinds; if empty or left out, all events */
    scopes?: Array<{
      type: "channel" | "channel_kind";
      /** Ids of channels; of the type `channel_kind`: `whatsapp`, `sms`, `email` or `instagram`, for all channels of the kind, also later ones */
      ids: string[];
    }> | undefined;
  }>;
  status?: "active" | "inactive" | undefined;
}

export interface UpdateApiWebhookBody {
  /** Where events are POSTed to; http or https */
  url?: string | undefined;
  events?: Array<{
    /** A name such as `message.received`, or a prefix such as `message.*`; every event if left out */
    type?: string | undefined;
    /** Only events of these channels, or of all channels of these kinds; if empty or left out, all events */
    scopes?: Array<{
      type: "channel" | "channel_kind";
      /** Ids of channels; of the type `channel_kind`: `whatsapp`, `sms`, `email` or `instagram`, for all channels of the kind, also later ones */
      ids: string[];
    }> | undefined;
  }> | undefined;
  /** `disabled` only if it is disabled already */
  status?: "active" | "inactive" | "disabled" | undefined;
}

export interface RecoverApiWebhookBody {
  /** Events created at or after this time */
  since: string;
  /** Events created before this time; all until now if left out */
  until?: string | undefined;
}

export interface RetryWebhookDeliveriesBody {
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query: string;
}

export interface CreateUserBody {
  name: string;
  /** Unique in the tenant, not case-sensitive; stored in lower case */
  email: string;
  /** What the user may do; `GET /v3/session` shows the scopes of a role */
  role: "owner" | "admin" | "agent" | "viewer";
  /** Whether an agent or viewer sees the chats of all channels, or only those of the channels of its teams. Owners and admins see all */
  access?: "all" | "teams" | undefined;
}

export interface UpdateUserBody {
  name?: string | undefined;
  /** Unique in the tenant, not case-sensitive; stored in lower case */
  email?: string | undefined;
  /** What the user may do; `GET /v3/session` shows the scopes of a role */
  role?: "owner" | "admin" | "agent" | "viewer" | undefined;
  /** Whether an agent or viewer sees the chats of all channels, or only those of the channels of its teams. Owners and admins see all */
  access?: "all" | "teams" | undefined;
  /** Whether the user gets no chats in turn, from steps that assign by `round_robin` */
  isAway?: boolean | undefined;
}

export interface UpdateOwnAvailabilityBody {
  /** Whether the user gets no chats in turn, from steps that assign by `round_robin` */
  isAway: boolean;
  /** Who is away, if a token says it; a person who has logged in by default */
  userId?: string | undefined;
}

export interface CreateTeamBody {
  name: string;
  /** The members of the team */
  userIds?: string[] | undefined;
  /** The channels of the team: members with the access `teams` see the chats of these */
  channelIds?: string[] | undefined;
}

export interface UpdateTeamBody {
  name?: string | undefined;
  /** The members of the team */
  userIds?: string[] | undefined;
  /** The channels of the team: members with the access `teams` see the chats of these */
  channelIds?: string[] | undefined;
  /** The `updatedAt` of the team as you know it. Nothing is changed, with 409, if somebody has changed the team since */
  baseUpdatedAt?: string | undefined;
}

export interface UploadFileBody {
  file: Blob;
  /** Whether the file has no permanent URL, only signed ones that end; false by default */
  isPrivate?: boolean | undefined;
}

export interface CreateAutomationBody {
  name: string;
  /** What its messages are for. `marketing` never reaches a contact that is unsubscribed. By default `marketing` for the triggers `schedule`, `label_added`, `contact_created` and `campaign`, else `service` */
  purpose?: "marketing" | "service" | undefined;
  trigger: Trigger;
  variables?: Array<{
    /** Texts and conditions use it as `variables.<name>` */
    name: string;
    type: "string" | "number" | "boolean";
    /** Whether a run needs a value for it to start */
    required?: boolean | undefined;
    /** The value if none is given */
    default?: string | number | boolean | undefined;
  }> | undefined;
  /** A run starts with the first step and is completed after the last */
  steps: Step[];
}

export interface UpdateAutomationBody {
  name?: string | undefined;
  /** What its messages are for. `marketing` never reaches a contact that is unsubscribed. By default `marketing` for the triggers `schedule`, `label_added`, `contact_created` and `campaign`, else `service` */
  purpose?: "marketing" | "service" | undefined;
  trigger?: Trigger | undefined;
  variables?: Array<{
    /** Texts and conditions use it as `variables.<name>` */
    name: string;
    type: "string" | "number" | "boolean";
    /** Whether a run needs a value for it to start */
    required?: boolean | undefined;
    /** The value if none is given */
    default?: string | number | boolean | undefined;
  }> | undefined;
  /** A run starts with the first step and is completed after the last */
  steps?: Step[] | undefined;
  /** The version that you have changed. Refused with 409 if it is no longer the latest */
  baseVersionId?: string | undefined;
}

export interface PublishAutomationBody {
  /** A version of this automation. Default: the latest */
  versionId?: string | undefined;
}

export interface SetAutomationStatusBody { status: "draft" | "active" | "inactive" | "archived" }

export interface TriggerAutomationBody {
  /** The contact of the run */
  contactId: string;
  /** Validated against the variables that the active version declares; others are kept */
  variables?: Record<string, string | number | boolean> | undefined;
  /** When the run starts. Default, also for a time up to 5 minutes ago: now */
  scheduledAt?: string | undefined;
}

export interface CheckAutomationBody {
  name?: string | undefined;
  /** What its messages are for. `marketing` never reaches a contact that is unsubscribed. By default `marketing` for the triggers `schedule`, `label_added`, `contact_created` and `campaign`, else `service` */
  purpose?: "marketing" | "service" | undefined;
  trigger: Trigger;
  variables?: Array<{
    /** Texts and conditions use it as `variables.<name>` */
    name: string;
    type: "string" | "number" | "boolean";
    /** Whether a run needs a value for it to start */
    required?: boolean | undefined;
    /** The value if none is given */
    default?: string | number | boolean | undefined;
  }> | undefined;
  /** A run starts with the first step and is completed after the last */
  steps: Step[];
}

export interface DryRunAutomationBody {
  /** For whom */
  contactId: string;
  /** The chat in which the run begins, if no message does */
  chatId?: string | undefined;
  message?: {
    /** `text` by default, `email` on email channels */
    type?: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | "story_reply" | "story_mention" | "comment" | "unsupported" | undefined;
    text?: string | undefined;
    /** As in messages, such as `{ id, title }` of a button for the type `interactive` */
    content?: Record<string, unknown> | undefined;
    /** Where the contact writes. Default: the channel of the trigger, else of the latest chat, else the first that reaches the contact */
    channelId?: string | undefined;
  } | undefined;
  /** Validated against the variables that the active version declares; others are kept */
  variables?: Record<string, string | number | boolean> | undefined;
  /** What the contact answers to each `wait_for_reply` in turn. One without text and content, or a missing one, is no answer: the time passes */
  replies?: Array<{
    /** `text` by default, `email` on email channels */
    type?: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "reaction" | "template" | "email" | "story_reply" | "story_mention" | "comment" | "unsupported" | undefined;
    text?: string | undefined;
    /** As in messages, such as `{ id, title }` of a button for the type `interactive` */
    content?: Record<string, unknown> | undefined;
    /** How long after the question, as an ISO 8601 duration. Default: a minute */
    after?: string | undefined;
  }> | undefined;
  /** What the calls of `http_request` steps return, by the id of the step */
  responses?: Record<string, {
    /** 200 by default */
    status?: number | undefined;
    /** Any JSON; `{}` by default */
    body?: unknown | undefined;
  }> | undefined;
  /** When the run begins. Default: now */
  at?: string | undefined;
  /** A version of the automation. Default: the latest */
  versionId?: string | undefined;
  /** A definition that is not saved, instead of a version */
  definition?: {
    /** What its messages are for. `marketing` never reaches a contact that is unsubscribed. By default `marketing` for the triggers `schedule`, `label_added`, `contact_created` and `campaign`, else `service` */
    purpose?: "marketing" | "service" | undefined;
    trigger: Trigger;
    variables?: Array<{
      /** Texts and conditions use it as `variables.<name>` */
      name: string;
      type: "string" | "number" | "boolean";
      /** Whether a run needs a value for it to start */
      required?: boolean | undefined;
      /** The value if none is given */
      default?: string | number | boolean | undefined;
    }> | undefined;
    /** A run starts with the first step and is completed after the last */
    steps: Step[];
  } | undefined;
}

export interface ExplainAutomationsBody {
  /** An event of the last days */
  eventId?: string | undefined;
  /** A message of a contact, instead of an event */
  messageId?: string | undefined;
  /** Only these automations. Default: all */
  automationIds?: string[] | undefined;
}

export interface GetAutomationFunnelBody {
  /** Only runs of this version */
  versionId?: string | undefined;
  /** Only runs that were created at or after this time */
  from?: string | undefined;
  /** Only runs that were created before this time */
  to?: string | undefined;
}

export interface StoreSecretBody {
  /** Stored encrypted and never shown */
  value: string;
}

export interface CreateSegmentBody {
  /** Unique, whatever its case */
  name: string;
  /** A filter of contacts, as in `POST /v3/contacts/search` */
  query: string;
}

export interface UpdateSegmentBody {
  /** Unique, whatever its case */
  name?: string | undefined;
  /** A filter of contacts, as in `POST /v3/contacts/search` */
  query?: string | undefined;
}

export interface DescribeHoursBody {
  /** The channel; the tenant if left out */
  channelId?: string | undefined;
  /** When it is open, in local time. Hours over midnight are written as two: `["22:00","24:00"]`, and `["00:00","02:00"]` on the day after. Instead of the stored ones */
  businessHours?: {
    /** The zone in which they are meant, such as `Europe/Berlin`; that of the tenant if left out */
    timezone?: string | undefined;
    /** The hours of this day of the week; closed if left out */
    mon?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    tue?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    wed?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    thu?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    fri?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sat?: Array<string[]> | undefined;
    /** The hours of this day of the week; closed if left out */
    sun?: Array<string[]> | undefined;
    /** Dates on which it is closed all day */
    closedOn?: string[] | undefined;
    /** Dates with other hours than their day of the week */
    exceptions?: Array<{
      /** A date such as `2026-12-25` */
      date: string;
      /** The hours of this date */
      hours: Array<string[]>;
    }> | undefined;
  } | null | undefined;
  /** When no marketing is sent, in the time zone of each contact. Replies of people and messages with the purpose `service` are sent at any time. Instead of the stored ones */
  quietHours?: {
    /** When they begin, such as `21:00` */
    from?: string | undefined;
    /** When they end, such as `08:00`; before `from` it is the next day */
    to?: string | undefined;
    /** The zone for contacts without a zone of their own; that of the tenant if left out */
    timezone?: string | undefined;
    /** True: no quiet hours, without `from` and `to`. So a channel has none although its tenant has some */
    isOff?: boolean | undefined;
  } | null | undefined;
  /** The time zone of a contact, for the quiet hours */
  timezone?: string | undefined;
  /** The moment; now if left out */
  at?: string | undefined;
}

export interface CreateCampaignBody {
  channelId: string;
  name: string;
  /** The automation that runs for each recipient; it must be active. Required without `message` */
  automationId?: string | undefined;
  /** What each recipient gets, instead of an automation. Complete when the campaign starts; a draft may have a part of it */
  message?: {
    /** Liquid, as in a `send_message` step */
    text?: string | undefined;
    /** Of an email; Liquid */
    subject?: string | undefined;
    media?: {
      /** An uploaded file */
      fileId?: string | undefined;
      url?: string | undefined;
      filename?: string | undefined;
    } | undefined;
    /** A template instead of a text */
    template?: {
      /** A template of the channel */
      templateId: string;
      variables?: Record<string, string> | undefined;
      /** The picture, video or document of its header, instead of the default one of the template; or its place */
      header?: {
        /** An uploaded file */
        fileId?: string | undefined;
        /** The URL of a file */
        url?: string | undefined;
        filename?: string | undefined;
        /** The place of a `location` header */
        location?: {
          latitude: number;
          longitude: number;
          name: string;
          address: string;
        } | undefined;
      } | undefined;
    } | undefined;
  } | undefined;
  /** Replaces the template of the automation's first `send_template` step */
  messageTemplateId?: string | undefined;
  /** The picture, video or document of its header, instead of the default one of the template; or its place */
  templateHeader?: {
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file */
    url?: string | undefined;
    filename?: string | undefined;
    /** The place of a `location` header */
    location?: {
      latitude: number;
      longitude: number;
      name: string;
      address: string;
    } | undefined;
  } | undefined;
  /** `marketing` by default: unsubscribed contacts are skipped. `service` also reaches them */
  purpose?: "marketing" | "service" | undefined;
  /** Whether chats that it creates are closed until the contact replies, so that they do not fill the inbox. Chats that exist stay as they are */
  closeChats?: boolean | undefined;
  /** Needs `scheduledAt` */
  isScheduled?: boolean | undefined;
  /** When it starts, in the future. Default: now */
  scheduledAt?: string | undefined;
  /** Needs `recurrenceRules` */
  isReoccurring?: boolean | undefined;
  /** Lines of RFC 5545: one `RRULE:…`, with or without the prefix, at most every 15 minutes, and `EXDATE:…` for times to skip, in UTC */
  recurrenceRules?: string[] | undefined;
  /** The zone in which `recurrenceRules` are meant, such as `Europe/Berlin`; UTC by default */
  timezone?: string | undefined;
  /** The variables of each run */
  variables?: Array<{
    name: string;
    /** Parsed as the type that the automation declares */
    value: string;
  }> | undefined;
  /** Contacts, matched by the handle that the channel uses. New ones are created, existing ones are updated */
  contacts?: Array<{
    firstName?: string | null | undefined;
    lastName?: string | null | undefined;
    email?: string | null | undefined;
    /** With + and the country code, such as `+15550001111` */
    phoneNumber?: string | null | undefined;
    /** Values by the `externalId` of their attribute */
    attributes?: Array<{
      externalId: string;
      value: string;
    }> | undefined;
    /** By name, not case-sensitive; a missing label is created */
    labels?: Array<{ name: string }> | undefined;
  }> | undefined;
  /** A filter for contacts, as in `POST /v3/contacts/search`. Contacts that match it when the campaign starts are recipients, too */
  audience?: string | undefined;
  /** A segment instead of an `audience`: its filter as it is when an occurrence begins */
  segmentId?: string | undefined;
}

export interface UpdateCampaignBody {
  channelId?: string | undefined;
  name?: string | undefined;
  /** The automation that runs for each recipient; it must be active. Required without `message` */
  automationId?: string | undefined;
  /** What each recipient gets, instead of an automation. Complete when the campaign starts; a draft may have a part of it */
  message?: {
    /** Liquid, as in a `send_message` step */
    text?: string | undefined;
    /** Of an email; Liquid */
    subject?: string | undefined;
    media?: {
      /** An uploaded file */
      fileId?: string | undefined;
      url?: string | undefined;
      filename?: string | undefined;
    } | undefined;
    /** A template instead of a text */
    template?: {
      /** A template of the channel */
      templateId: string;
      variables?: Record<string, string> | undefined;
      /** The picture, video or document of its header, instead of the default one of the template; or its place */
      header?: {
        /** An uploaded file */
        fileId?: string | undefined;
        /** The URL of a file */
        url?: string | undefined;
        filename?: string | undefined;
        /** The place of a `location` header */
        location?: {
          latitude: number;
          longitude: number;
          name: string;
          address: string;
        } | undefined;
      } | undefined;
    } | undefined;
  } | undefined;
  messageTemplateId?: string | null | undefined;
  /** The picture, video or document of its header, instead of the default one of the template; or its place */
  templateHeader?: {
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file */
    url?: string | undefined;
    filename?: string | undefined;
    /** The place of a `location` header */
    location?: {
      latitude: number;
      longitude: number;
      name: string;
      address: string;
    } | undefined;
  } | null | undefined;
  /** `marketing` by default: unsubscribed contacts are skipped. `service` also reaches them */
  purpose?: "marketing" | "service" | undefined;
  /** Whether chats that it creates are closed until the contact replies, so that they do not fill the inbox. Chats that exist stay as they are */
  closeChats?: boolean | undefined;
  /** `false` alone removes the time, and is refused with a `scheduledAt`. `true` needs a time, new or stored */
  isScheduled?: boolean | undefined;
  /** Without it, a campaign that has not started becomes a draft */
  scheduledAt?: string | null | undefined;
  /** `false` alone removes the rules, and is refused with `recurrenceRules`. `true` needs rules, new or stored */
  isReoccurring?: boolean | undefined;
  /** Lines of RFC 5545: one `RRULE:…`, with or without the prefix, at most every 15 minutes, and `EXDATE:…` for times to skip, in UTC */
  recurrenceRules?: string[] | undefined;
  /** The zone in which `recurrenceRules` are meant, such as `Europe/Berlin`; UTC by default */
  timezone?: string | undefined;
  /** The variables of each run */
  variables?: Array<{
    name: string;
    /** Parsed as the type that the automation declares */
    value: string;
  }> | undefined;
  audience?: string | null | undefined;
  /** Instead of an `audience` */
  segmentId?: string | null | undefined;
}

export interface PreviewCampaignBody {
  channelId: string;
  name?: string | undefined;
  /** The automation that runs for each recipient; it must be active. Required without `message` */
  automationId?: string | undefined;
  /** What each recipient gets, instead of an automation. Complete when the campaign starts; a draft may have a part of it */
  message?: {
    /** Liquid, as in a `send_message` step */
    text?: string | undefined;
    /** Of an email; Liquid */
    subject?: string | undefined;
    media?: {
      /** An uploaded file */
      fileId?: string | undefined;
      url?: string | undefined;
      filename?: string | undefined;
    } | undefined;
    /** A template instead of a text */
    template?: {
      /** A template of the channel */
      templateId: string;
      variables?: Record<string, string> | undefined;
      /** The picture, video or document of its header, instead of the default one of the template; or its place */
      header?: {
        /** An uploaded file */
        fileId?: string | undefined;
        /** The URL of a file */
        url?: string | undefined;
        filename?: string | undefined;
        /** The place of a `location` header */
        location?: {
          latitude: number;
          longitude: number;
          name: string;
          address: string;
        } | undefined;
      } | undefined;
    } | undefined;
  } | undefined;
  /** Replaces the template of the automation's first `send_template` step */
  messageTemplateId?: string | undefined;
  /** The picture, video or document of its header, instead of the default one of the template; or its place */
  templateHeader?: {
    /** An uploaded file */
    fileId?: string | undefined;
    /** The URL of a file */
    url?: string | undefined;
    filename?: string | undefined;
    /** The place of a `location` header */
    location?: {
      latitude: number;
      longitude: number;
      name: string;
      address: string;
    } | undefined;
  } | undefined;
  /** `marketing` by default: unsubscribed contacts are skipped. `service` also reaches them */
  purpose?: "marketing" | "service" | undefined;
  /** Whether chats that it creates are closed until the contact replies, so that they do not fill the inbox. Chats that exist stay as they are */
  closeChats?: boolean | undefined;
  /** Needs `scheduledAt` */
  isScheduled?: boolean | undefined;
  /** When it starts, in the future. Default: now */
  scheduledAt?: string | undefined;
  /** Needs `recurrenceRules` */
  isReoccurring?: boolean | undefined;
  /** Lines of RFC 5545: one `RRULE:…`, with or without the prefix, at most every 15 minutes, and `EXDATE:…` for times to skip, in UTC */
  recurrenceRules?: string[] | undefined;
  /** The zone in which `recurrenceRules` are meant, such as `Europe/Berlin`; UTC by default */
  timezone?: string | undefined;
  /** The variables of each run */
  variables?: Array<{
    name: string;
    /** Parsed as the type that the automation declares */
    value: string;
  }> | undefined;
  /** Contacts, matched by the handle that the channel uses. New ones are created, existing ones are updated */
  contacts?: Array<{
    firstName?: string | null | undefined;
    lastName?: string | null | undefined;
    email?: string | null | undefined;
    /** With + and the country code, such as `+15550001111` */
    phoneNumber?: string | null | undefined;
    /** Values by the `externalId` of their attribute */
    attributes?: Array<{
      externalId: string;
      value: string;
    }> | undefined;
    /** By name, not case-sensitive; a missing label is created */
    labels?: Array<{ name: string }> | undefined;
  }> | undefined;
  /** A filter for contacts, as in `POST /v3/contacts/search`. Contacts that match it when the campaign starts are recipients, too */
  audience?: string | undefined;
  /** A segment instead of an `audience`: its filter as it is when an occurrence begins */
  segmentId?: string | undefined;
}

export interface TestCampaignBody {
  /** A user of the tenant, mostly oneself, at their own email address; for channels of the kind `email` */
  userId?: string | undefined;
  /** A phone number, email address or Instagram id, depending on the kind of channel; an unknown recipient becomes a contact */
  to?: string | undefined;
  /** A contact */
  contactId?: string | undefined;
}

export interface SetCampaignStatusBody {
  status: "running" | "paused" | "cancelled";
  /** The `updatedAt` of the campaign as you know it. The status stays, with 409, if somebody has changed the campaign since */
  baseUpdatedAt?: string | undefined;
}

export interface AddRecipientsBody {
  /** Contacts, matched by the handle that the channel uses. New ones are created, existing ones are updated */
  contacts: Array<{
    firstName?: string | null | undefined;
    lastName?: string | null | undefined;
    email?: string | null | undefined;
    /** With + and the country code, such as `+15550001111` */
    phoneNumber?: string | null | undefined;
    /** Values by the `externalId` of their attribute */
    attributes?: Array<{
      externalId: string;
      value: string;
    }> | undefined;
    /** By name, not case-sensitive; a missing label is created */
    labels?: Array<{ name: string }> | undefined;
  }>;
}

export interface CreateImportBody {
  /** An uploaded CSV file; see `POST /v3/files` */
  fileId: string;
  /** What the columns are, by their names in the first row of the file; the others are left out. `POST /v3/imports/examine` guesses it */
  mapping: Record<string, string>;
  /** The country of phone numbers without + and country code, such as `DE` (ISO 3166-1) */
  defaultCountry?: string | undefined;
  /** Whether contacts that exist stay as they are, which is the default, or are updated */
  onExisting?: "skip" | "update" | undefined;
  /** Labels that every imported contact gets, except those that are skipped */
  labelIds?: string[] | undefined;
  /** Whether there is an event for each contact that is created or changed, as there is by default. With false there is only `job.completed` */
  publishEvents?: boolean | undefined;
  /** Whether automations start for contacts that are created or get a label; false by default. Needs events */
  triggerAutomations?: boolean | undefined;
  /** Whether rows are only checked, and nothing is stored; false by default */
  dryRun?: boolean | undefined;
  /** Detected unless given */
  encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1250" | "windows-1251" | "windows-1252" | undefined;
  /** Between cells; detected unless given */
  delimiter?: "," | ";" | "\t" | "|" | undefined;
  /** The user in whose name this is written; the token itself by default */
  userId?: string | undefined;
}

export interface ExamineImportBody {
  /** An uploaded CSV file; see `POST /v3/files` */
  fileId: string;
  /** Detected unless given */
  encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1250" | "windows-1251" | "windows-1252" | undefined;
  /** Between cells; detected unless given */
  delimiter?: "," | ";" | "\t" | "|" | undefined;
}

export interface ChangeChatsBody {
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** Which ones, instead of a query */
  ids?: string[] | undefined;
  action: {
    /** Labels are added to and removed from the contacts of the chats */
    type: "assign" | "status" | "read" | "unread" | "add_label" | "remove_label";
    /** Only of `assign`: null removes the user; if left out it is not changed */
    userId?: string | null | undefined;
    /** Only of `assign`: null removes the team; if left out it is not changed */
    teamId?: string | null | undefined;
    /** Only of `status`, and required there */
    status?: "open" | "snoozed" | "closed" | undefined;
    /** Only of `status`: required for `snoozed`, and only allowed there */
    snoozedUntil?: string | undefined;
    /** Only of `add_label` and `remove_label`, and required there */
    labelId?: string | undefined;
    /** Only of `status` and `add_label`: whether automations on opened or closed chats, or on the label, may start; false by default */
    triggerAutomations?: boolean | undefined;
  };
  /** The user in whose name this is written; the token itself by default */
  userId?: string | undefined;
}

export interface ChangeContactsBody {
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** Which ones, instead of a query */
  ids?: string[] | undefined;
  action: {
    /** `delete` erases the contacts permanently */
    type: "add_label" | "remove_label" | "set_attributes" | "delete";
    /** Only of `add_label` and `remove_label`, and required there */
    labelId?: string | undefined;
    /** Only of `add_label`: whether automations on the label may start; false by default */
    triggerAutomations?: boolean | undefined;
    /** Merged: attributes that are left out stay as they are */
    attributes?: Array<{
      /** The attribute; or give its `id` */
      externalId?: string | undefined;
      id?: string | undefined;
      /** A value of the type of the attribute; null removes it */
      value: string | number | boolean | null;
    }> | undefined;
  };
  /** The user in whose name this is written; the token itself by default */
  userId?: string | undefined;
}

export interface ChangeAutomationRunsBody {
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** Which ones, instead of a query */
  ids?: string[] | undefined;
  /** `retry` repeats the step that failed and continues from there */
  action: "cancel" | "retry";
  /** The user in whose name this is written; the token itself by default */
  userId?: string | undefined;
}

export interface SearchReportsBody {
  /** Which report */
  name: "volumes" | "response_times" | "agents" | "campaigns" | "automations";
  /** The begin; the quarter of an hour in which it is counts as a whole */
  from: string;
  /** The end, at most ten years later; the quarter of an hour in which it is counts as a whole */
  to: string;
  /** A row for each; without it, one row for the whole period. Weeks begin on Monday */
  interval?: "hour" | "day" | "week" | "month" | undefined;
  /** A row for each; without it, the sum of all */
  groupBy?: "channel" | "author" | "user" | "campaign" | "automation" | undefined;
  /** A filter: and(a,b,…), or(…), not(a), eq(field,value), ne, gt, ge, lt, le, in(field,v1,v2,…), contains(field,"x"), startsWith(field,"x"), hasWord(field,"x"), isNull(field); of contacts also segment("id"). Values are "text" (with \" and \\), numbers, true, false and null; times are ISO 8601 in quotes, now("-P7D") or today("Europe/Berlin","P1D"). contains, startsWith and hasWord ignore case. */
  query?: string | undefined;
  /** In which days, weeks and months begin; that of the tenant when left out */
  timezone?: string | undefined;
}

/** A contact sent a message. */
export interface MessageReceivedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.received";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** The vendor accepted a message. */
export interface MessageSentEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.sent";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** A message reached the contact’s device. */
export interface MessageDeliveredEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.delivered";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** The contact read a message. */
export interface MessageReadEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.read";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** A message was not sent, or not delivered; `error` says why. */
export interface MessageFailedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.failed";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** A message was sent to a contact outside of Parley, such as in the vendor’s own app. */
export interface MessageEchoEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.echo";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** The sender edited a message, or one of its files was downloaded. */
export interface MessageUpdatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.updated";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** The sender deleted a message, or a scheduled one was cancelled; its content is removed. */
export interface MessageDeletedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "message.deleted";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Message;
}

/** A channel cannot send any more, the vendor warns about it, or all is well again; `problem` says why. */
export interface ChannelHealthChangedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "channel.health_changed";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Channel;
}

/** A chat was created. */
export interface ChatCreatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "chat.created";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Chat;
}

/** A chat was opened, snoozed or closed. */
export interface ChatStatusChangedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "chat.status_changed";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Chat;
}

/** A chat was assigned to a user or a team, or unassigned. */
export interface ChatAssignedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "chat.assigned";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Chat;
}

/** A chat was marked as read or as unread. */
export interface ChatReadEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "chat.read";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Chat;
}

/** Automations were paused or resumed in a chat, or it became sensitive or is no longer. */
export interface ChatUpdatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "chat.updated";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Chat;
}

/** A chat was deleted with its messages; the data is its last state. */
export interface ChatDeletedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "chat.deleted";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Chat;
}

/** Somebody wrote a note about a chat. */
export interface NoteCreatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "note.created";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Note;
}

/** A note was changed. */
export interface NoteUpdatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "note.updated";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Note;
}

/** A note was deleted; the data is its last state. */
export interface NoteDeletedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "note.deleted";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Note;
}

/** A contact was created, for example by a message from an unknown sender. */
export interface ContactCreatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.created";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Contact;
}

/** The name, handles, attributes, metadata or subscription of a contact changed. */
export interface ContactUpdatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.updated";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Contact;
}

/** A contact was deleted with everything that was stored about it. */
export interface ContactDeletedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.deleted";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: ErasedContact;
}

/** Two contacts turned out to be the same person, and are one contact now. */
export interface ContactMergedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.merged";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: MergedContacts;
}

/** Labels were added to a contact. */
export interface ContactLabelsAddedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.labels_added";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Contact;
}

/** A label was removed from a contact. */
export interface ContactLabelsRemovedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.labels_removed";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Contact;
}

/** A contact opted out of marketing over one kind of channel or several. */
export interface ContactUnsubscribedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.unsubscribed";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Contact;
}

/** A contact that had opted out subscribed again. */
export interface ContactSubscribedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "contact.subscribed";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Contact;
}

/** A message template was approved, rejected, paused or disabled. */
export interface TemplateStatusChangedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "template.status_changed";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: MessageTemplate;
}

/** A file was uploaded. */
export interface FileCreatedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "file.created";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: File;
}

/** A run of an automation started. */
export interface AutomationRunStartedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "automation.run_started";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: AutomationRun;
}

/** A run of an automation was completed. */
export interface AutomationRunCompletedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "automation.run_completed";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: AutomationRun;
}

/** A step of a run failed; the run can be retried from there. */
export interface AutomationRunFailedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "automation.run_failed";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: AutomationRun;
}

/** A run was cancelled: through the API, with its campaign, because a person took over the chat, or because the contact is unsubscribed. */
export interface AutomationRunCancelledEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "automation.run_cancelled";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: AutomationRun;
}

/** A campaign started. */
export interface CampaignStartedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "campaign.started";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Campaign;
}

/** A campaign has reached all its recipients and has no further occurrence. */
export interface CampaignCompletedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "campaign.completed";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Campaign;
}

/** A campaign could not start or continue; `error` says why. */
export interface CampaignFailedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "campaign.failed";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Campaign;
}

/** A job has ended: a bulk action is done, has failed or was cancelled, or a large deletion is finished; `status` says which. */
export interface JobCompletedEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "job.completed";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: Job;
}

/** A test of this webhook was requested. It is sent to no other webhook, and needs no subscription. */
export interface WebhookTestEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "webhook.test";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: ApiWebhook;
}

/** A webhook was disabled: its receiver answered 410, or it only failed for five days. */
export interface WebhookDisabledEvent {
  /** Also the `webhook-id` header: the same on every attempt */
  id: string;
  type: "webhook.disabled";
  createdAt: string;
  tenantId: string;
  channelId: string | null;
  /** Increases with every event of the tenant; there may be gaps, and numbers are never reused */
  sequence: number;
  data: ApiWebhook;
}

/** Another user looks at a chat, types, or has left; it counts until `until`. */
export interface ChatPresenceEvent {
  /** Another one for every event */
  id: string;
  type: "chat.presence";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** It is not stored, so it has no number */
  sequence: null;
  data: {
    chatId: string;
    user: {
      id: string;
      name: string;
    };
    state: "viewing" | "typing" | "left";
    /** When it ends unless it comes again */
    until: string;
  };
}

/** A message was accepted for sending; the data is the message as it is now. */
export interface MessageQueuedEvent {
  /** Another one for every event */
  id: string;
  type: "message.queued";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** It is not stored, so it has no number */
  sequence: null;
  data: Message;
}

/** The user of this stream has a notification, or an unread one counts one more; nobody else gets it. */
export interface NotificationCreatedEvent {
  /** Another one for every event */
  id: string;
  type: "notification.created";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** It is not stored, so it has no number */
  sequence: null;
  data: Notification;
}

/** The number of recipients in a status changed, or the campaign itself; at most once a second, less often the longer it takes. */
export interface CampaignProgressedEvent {
  /** Another one for every event */
  id: string;
  type: "campaign.progressed";
  createdAt: string;
  tenantId: string;
  channelId: string;
  /** It is not stored, so it has no number */
  sequence: null;
  data: CampaignWithCounts;
}

/** A run has come to another step, waits, or was retried; the data is the run as it is now. At most one a second for each run. */
export interface AutomationRunProgressedEvent {
  /** Another one for every event */
  id: string;
  type: "automation.run_progressed";
  createdAt: string;
  tenantId: string;
  channelId: null;
  /** It is not stored, so it has no number */
  sequence: null;
  data: AutomationRun;
}

/** A campaign, automation, template, webhook, segment, saved reply or channel was deleted. The chats, templates and campaigns of a channel are deleted with it and have no event of their own. */
export interface ResourceDeletedEvent {
  /** Another one for every event */
  id: string;
  type: "resource.deleted";
  createdAt: string;
  tenantId: string;
  channelId: null;
  /** It is not stored, so it has no number */
  sequence: null;
  data: {
    resource: "campaign" | "automation" | "message_template" | "api_webhook" | "segment" | "saved_reply" | "channel";
    id: string;
  };
}

/** What happened in a tenant, as webhooks and the stream send it: `type` says what `data` is. */
export type Event =
  | MessageReceivedEvent
  | MessageSentEvent
  | MessageDeliveredEvent
  | MessageReadEvent
  | MessageFailedEvent
  | MessageEchoEvent
  | MessageUpdatedEvent
  | MessageDeletedEvent
  | ChannelHealthChangedEvent
  | ChatCreatedEvent
  | ChatStatusChangedEvent
  | ChatAssignedEvent
  | ChatReadEvent
  | ChatUpdatedEvent
  | ChatDeletedEvent
  | NoteCreatedEvent
  | NoteUpdatedEvent
  | NoteDeletedEvent
  | ContactCreatedEvent
  | ContactUpdatedEvent
  | ContactDeletedEvent
  | ContactMergedEvent
  | ContactLabelsAddedEvent
  | ContactLabelsRemovedEvent
  | ContactUnsubscribedEvent
  | ContactSubscribedEvent
  | TemplateStatusChangedEvent
  | FileCreatedEvent
  | AutomationRunStartedEvent
  | AutomationRunCompletedEvent
  | AutomationRunFailedEvent
  | AutomationRunCancelledEvent
  | CampaignStartedEvent
  | CampaignCompletedEvent
  | CampaignFailedEvent
  | JobCompletedEvent
  | WebhookTestEvent
  | WebhookDisabledEvent;

/** What the stream sends. */
export type StreamEvent =
  | Event
  | ChatPresenceEvent
  | MessageQueuedEvent
  | NotificationCreatedEvent
  | CampaignProgressedEvent
  | AutomationRunProgressedEvent
  | ResourceDeletedEvent;

/** The reasons of errors. */
export type MessageKey =
  | "invalid_body_params"
  | "unauthorized"
  | "insufficient_billing_plan"
  | "forbidden"
  | "contact_not_found"
  | "too_many_requests"
  | "internal_error"
  | "totp_required"
  | "too_many_attempts"
  | "automation_not_found"
  | "automation_run_not_found"
  | "automation_version_not_found"
  | "attribute_not_found"
  | "event_not_found"
  | "failed_request_not_found"
  | "file_not_found"
  | "file_url_expired"
  | "import_not_found"
  | "job_not_found"
  | "label_not_found"
  | "message_not_found"
  | "note_not_found"
  | "message_template_not_found"
  | "team_not_found"
  | "view_not_found"
  | "saved_reply_not_found"
  | "user_not_found"
  | "api_webhook_not_found"
  | "campaign_not_found"
  | "channel_not_found"
  | "chat_not_found"
  | "segment_not_found"
  | "tenant_not_found"
  | "webhook_delivery_not_found"
  | "route_not_found"
  | "method_not_allowed"
  | "conflict"
  | "limit_reached"
  | "api_version_sunset"
  | "payload_too_large"
  | "unsupported_media_type"
  | "range_not_satisfiable"
  | "idempotency_key_reused"
  | "service_unavailable"
  | "search_too_slow";
