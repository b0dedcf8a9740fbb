import { statusOf } from '../api/errors.ts';
import { Warning } from './notices.tsx';

/** Whether the server has said no. Any other error may have come after it has done what was asked. */
export function isRefused(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500;
}

/** What to do if something may have been made whose secret nobody has seen. */
export const LostAnswer = ({ error, text }: { error: unknown; text: string }) =>
  error && !isRefused(error) ? <Warning>{text}</Warning> : null;
