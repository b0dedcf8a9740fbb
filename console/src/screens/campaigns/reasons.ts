import { useText } from '../../i18n/i18n.tsx';

/** Why somebody gets nothing, as the server names it. */
const CODES = [
  'no_handle',
  'unsubscribed',
  'opted_out',
  'undeliverable',
  'window_closed',
  'nothing_sent',
  'cancelled',
  'automation_deleted',
  'message_deleted',
  'template_gone',
  'template_deleted',
  'template_not_approved',
  'liquid_error',
  'empty_text',
  'channel_gone',
  'waits',
  'calls',
] as const;
type Code = (typeof CODES)[number];
const isKnown = (code: string): code is Code => CODES.some((known) => known === code);

/** The reason in words. A code of a vendor stays as it is, so that it can be looked up. */
export function useReason(): (code: string | null) => string {
  const t = useText();
  return (code) => {
    if (code === null) return '';
    return isKnown(code) ? t(`campaigns.reason.${code}`) : t('campaigns.reason.other', { code });
  };
}
