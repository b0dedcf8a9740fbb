import type { ChannelConfig } from '../adapter-channel.ts';

/** The failures that the sandbox simulates, as real vendors show them now and then. */
export interface SandboxFaults {
  /** Each request is sent twice. */
  duplicate: boolean;
  /** The statuses of a message come in reverse order. */
  reorder: boolean;
  /** Every n-th attempt to send is refused temporarily; 0: none. */
  failEvery: number;
  /** How long the answer to a send takes after the message is accepted. */
  delayMs: number;
  /** An echo or the first status of a message is sent before the answer to the send. */
  echoBeforeResponse: boolean;
}

const none: SandboxFaults = {
  duplicate: false,
  reorder: false,
  failEvery: 0,
  delayMs: 0,
  echoBeforeResponse: false,
};

/** All faults; those that are not given are off. */
export const completeSandboxFaults = (given: Partial<SandboxFaults>): SandboxFaults => ({
  ...none,
  ...given,
});

/** The faults of a channel. */
export const sandboxFaultsOf = (config: ChannelConfig): SandboxFaults =>
  completeSandboxFaults((config.faults ?? {}) as Partial<SandboxFaults>);
