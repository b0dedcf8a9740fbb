import type { Opening } from '../../hours/opening.ts';
import type { TemplateFile } from '../../messages/content-schema.ts';
import type { NewChatMessage } from '../../messages/schema.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import type { StepType } from '../definition/steps.ts';
import type { Scalar } from '../schema.ts';
import type { RunContext, Saved } from './context.ts';
import type { EvaluateInput, EvaluateOutput } from './evaluate-task.ts';
import type { Program } from './program.ts';

export interface RunError {
  code: string;
  message: string;
}

/** The state of a run between two step batches. */
export interface RunState {
  variables: Record<string, Scalar>;
  saved: Record<string, Saved>;
  /** The inbound message that started the run, later the last reply. */
  messageId: string | null;
  /** Only replies after this id count: the run's last message, its last reply, or the run itself. */
  after: string;
  /** How many steps have begun. */
  begun: number;
  /** The step that has started and not ended: its times, and its call to an outside server with the answer. */
  pending: { startedAt: string; until: string | null; call?: StoredCall; answer?: OutsideAnswer } | null;
  /** The template of the campaign for the first `send_template` step; null after that step. */
  templateId: string | null;
  /** The file of its header; left out if the step or the template has one. */
  templateHeader?: TemplateFile | null;
  /** How many runs came before this one, each started by an event of the one before. Zero if left out. */
  chainDepth?: number;
}

/** An executed step. */
export interface TraceEntry {
  number: number;
  step: string;
  type: StepType;
  status: 'running' | 'waiting' | 'completed' | 'failed';
  detail: Record<string, unknown>;
  error: RunError | null;
  startedAt: Date;
  endedAt: Date | null;
}

/** What a run sends: everything that a message can have. */
export type RunContent = Pick<
  NewChatMessage,
  | 'type'
  | 'text'
  | 'media'
  | 'interactive'
  | 'email'
  | 'location'
  | 'contacts'
  | 'reaction'
  | 'template'
  | 'replyToMessageId'
>;

/** A change that a step requests. It is made in the transaction of the step batch. */
export type Effect =
  | {
      kind: 'send';
      number: number;
      channelId: string | null;
      content: RunContent;
    }
  | { kind: 'set_attribute'; externalId: string; value: string }
  | { kind: 'add_label' | 'remove_label'; labelId: string }
  | { kind: 'assign'; change: { userId?: string | null; teamId?: string | null } }
  | { kind: 'assign_in_turn'; teamId: string; maxOpenChats: number | null }
  | { kind: 'set_chat_status'; change: { status: string; snoozedUntil?: string } }
  | { kind: 'set_subscription'; status: 'subscribed' | 'unsubscribed'; channelKind: ChannelKind | null }
  | { kind: 'find_reply'; after: string }
  /** Texts or conditions that are evaluated in a worker thread, between two step batches. */
  | { kind: 'evaluate'; input: EvaluateInput };

/** What an effect changed, or why it failed. */
export type EffectResult =
  | { failure: RunError; ends?: 'cancelled' }
  | {
      failure?: undefined;
      context?: Partial<RunContext>;
      messageId?: string;
      /** Nothing was sent yet: the contact has quiet hours until then. */
      quietUntil?: Date;
      /** What the trace shows in addition. */
      detail?: Record<string, unknown>;
      evaluated?: EvaluateOutput;
      /** The step begins again when the result is there. */
      isPostponed?: true;
    };

/** A call to an outside server, made between two step batches. It is stored, so that a repeated call is the same. */
export interface OutsideCall {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  saveAs: string | null;
  /** Signs the call. */
  signingKey?: string;
  /** Whether it is stored encrypted. */
  usesSecrets?: boolean;
}

/** What of a call may contain secrets. */
export interface SecretPart {
  headers: Record<string, string>;
  body: string | null;
  signingKey?: string;
}

/** A call as it is stored. The parts of one that uses secrets are encrypted. */
export type StoredCall =
  | OutsideCall
  | (Omit<OutsideCall, keyof SecretPart | 'usesSecrets'> & { sealed: string });

/** What of the hours a run waits for: when they change, it looks again. */
type WaitsFor = 'open' | 'quiet';

export type Ending =
  | { kind: 'completed' }
  | { kind: 'failed' | 'cancelled'; failure: RunError }
  | { kind: 'waiting'; until: Date; forReply: boolean; waitsFor?: WaitsFor }
  | { kind: 'calling' }
  | { kind: 'unfinished' };

/** The result of a step. */
export type Outcome =
  | { kind: 'done'; detail: Record<string, unknown>; next?: string | null }
  | { kind: 'failed_step'; failure: RunError; detail?: Record<string, unknown>; ends?: 'cancelled' }
  | { kind: 'wait'; until: Date; forReply: boolean; waitsFor?: WaitsFor; detail: Record<string, unknown> }
  | { kind: 'call'; call: OutsideCall; detail: Record<string, unknown> }
  /** Nothing of the step was done yet: a worker thread evaluates its texts first. */
  | { kind: 'postponed'; detail?: undefined };

/** A run while it is interpreted. */
export interface Running {
  readonly program: Program;
  readonly now: Date;
  state: RunState;
  context: RunContext;
  /** What texts and conditions can use now. */
  scope(): Record<string, unknown>;
  /** The business hours of the run's channel now. */
  opening(): Opening;
  /** The secrets of the tenant, which only calls to other servers can use. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface StepBatch {
  /** The step that is next or has started, null at the end. */
  step: string | null;
  state: RunState;
  trace: TraceEntry[];
  ending: Ending;
}

/** The answer to an outside call, or why there is none. */
export type OutsideAnswer = { saved: Saved; failure?: undefined } | { saved?: undefined; failure: RunError };

/** An answer with the address of its call, so that the address need not be rendered again. */
export type AnsweredCall = OutsideAnswer & { url: string };

/** The state of a run that has not started. */
export const freshState = (
  runId: string,
  variables: Record<string, Scalar>,
  messageId: string | null = null,
): RunState => ({
  variables,
  saved: {},
  messageId,
  after: runId,
  begun: 0,
  pending: null,
  templateId: null,
});
