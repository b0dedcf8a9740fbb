import type { ChannelKind } from '../../providers/kinds.ts';
import type { MessageTemplate } from '../../templates/schema.ts';
import type { Message } from '../schema.ts';
import type { MediaDeps } from './validate-media.ts';

/** A message that another one replies or reacts to. */
export interface ReferredMessage {
  chat_id: string;
  vendor_id: string | null;
  type: Message['type'];
  timestamp: Date;
  /** Whether a comment has its one private answer. */
  is_answered: boolean;
}

/** What decides whether a message can be sent. */
export interface DraftFacts extends MediaDeps {
  chatId: string;
  channelId: string;
  kind: ChannelKind;
  /** Whether this installation has the channel's provider. */
  hasProvider: boolean;
  /** Until when a free-form message is allowed; undefined if the channel has no reply window. */
  openUntil: Date | null | undefined;
  /** Why the contact must not be sent this; undefined if it may be. */
  refusal: { code: string; message: string } | undefined;
  templates: ReadonlyMap<string, MessageTemplate>;
  /** The messages that it refers to, each with its chat. */
  messages: ReadonlyMap<string, ReferredMessage>;
  now: Date;
}
