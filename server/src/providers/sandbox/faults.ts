import type { ChannelConfig } from '../adapter.ts';

/** What the sandbox does wrong when it is asked to, as vendors do now and then. */
export interface SandboxFaults {
  /** Each of its requests comes twice. */
  duplicate: boolean;
  /** What it tells of a message comes in the wrong order: the last first. */
  reorder: boolean;
  /** Every so many attempts to send, one is refused for the moment; 0: none. */
  failEvery: number;
  /** How long its answer to a send takes once it has accepted the message. */
  delayMs: number;
  /** What it tells of a message comes before its answer to the send: at once. */
  echoBeforeResponse: boolean;
}

const none: SandboxFaults = {
  duplicate: false,
  reorder: false,
  failEvery: 0,
  delayMs: 0,
  echoBeforeResponse: false,
};

/** The faults that are switched on; what is not named is off. */
export const faultsIn = (given: Partial<SandboxFaults>): SandboxFaults => ({ ...none, ...given });

/** Those of a channel. */
export const faultsOf = (config: ChannelConfig): SandboxFaults =>
  faultsIn((config.faults ?? {}) as Partial<SandboxFaults>);
