import { useRouter } from '@tanstack/react-router';

/** What a `Link` leads to. */
export interface Address {
  to: string;
  search?: Readonly<Record<string, string>>;
}

/** The id may be one that a vendor gave, with any signs. */
export const traceAddress = (id: string): Address => ({ to: `/trace/${encodeURIComponent(id)}` });
export const eventAddress = (id: string): Address => ({ to: `/events/${id}` });
export const contactAddress = (id: string): Address => ({ to: `/contacts/${id}` });
/** A chat, at one of its messages. */
export const chatAddress = (chatId: string, messageId?: string): Address => ({
  to: `/inbox/${chatId}`,
  ...(messageId !== undefined && { search: { message: messageId } }),
});
/** A run on the screen of its automation. */
export const runAddress = (automationId: string, runId: string): Address => ({
  to: `/automations/${automationId}/runs`,
  search: { run: runId },
});

/** Whether there is a screen at an address such as `/webhooks`. */
export function useHasScreen(): (address: string) => boolean {
  const { routesByPath } = useRouter();
  return (address) => Object.keys(routesByPath).some((path) => path.split('/{')[0] === address);
}
