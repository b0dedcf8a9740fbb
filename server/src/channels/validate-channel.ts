import { collectIssues } from '../base/issues.ts';
import { type GivenHours, validateHours } from '../hours/validate-hours.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { validateHost, validateUrl } from '../outbound/validate-url.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { ChannelConfig } from '../providers/adapter-channel.ts';
import type { ChannelConsent } from './schema.ts';

/** The settings of opting out in a body. */
export const givenConsent = ({
  optOutWords,
  optInWords,
  optOutConfirmation,
}: Partial<ChannelConsent>): Partial<ChannelConsent> => ({
  ...(optOutWords === undefined ? {} : { optOutWords }),
  ...(optInWords === undefined ? {} : { optInWords }),
  ...(optOutConfirmation === undefined ? {} : { optOutConfirmation }),
});

/** The hours of a body as they are stored. */
export function requireValidHours(given: GivenHours): GivenHours {
  const issues = collectIssues();
  const hours = validateHours(given, issues);
  issues.throwIfAny();
  return hours;
}

/** Refuses servers that requests may never go to. No name is resolved: what it resolves to is checked with every connection. */
export function requireAllowedServers(adapter: Adapter, config: ChannelConfig, policy: OutboundPolicy): void {
  const issues = collectIssues().at('config');
  for (const [path, server] of Object.entries(adapter.servers?.(config) ?? {})) {
    if (server === undefined) continue;
    const decision = server.includes('://') ? validateUrl(server, policy) : validateHost(server, policy);
    if (!decision.ok) issues.add(path, 'custom', decision.reason);
  }
  issues.throwIfAny();
}
