import type { ChannelKind } from '../providers/kinds.ts';
import type { VendorError } from '../providers/vendor-failure.ts';

/** Counts a message that could not be sent or did not arrive, for the operator. */
export type CountFailed = (kind: ChannelKind, reason: string) => void;

/**
 * The class of a reason: the codes of Parley itself, such as `window_closed`, and for vendors' own codes, of which there are
 * hundreds, `refused_5xx` for codes of mail servers such as 550, and `vendor` for all others.
 */
export function reasonOf({ code }: Pick<VendorError, 'code'>): string {
  if (/^[a-z][a-z_]{0,39}$/.test(code)) return code;
  const smtp = /^([245])\d\d$/.exec(code);
  return smtp ? `refused_${smtp[1]}xx` : 'vendor';
}
