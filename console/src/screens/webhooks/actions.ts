import { type ApiWebhook, testApiWebhook, updateApiWebhook } from '@parley/sdk';
import { client, useWrite } from '../../api/api.ts';
import { useText } from '../../i18n/i18n.tsx';
import { useToast } from '../../ui/toast.tsx';
import { WEBHOOKS_KEY } from './data.ts';

/** Sends a test event. What became of it is shown by its delivery. */
export const useTest = (onTested: (deliveryId: string) => void) =>
  useWrite(({ id }: ApiWebhook) => testApiWebhook(client, { path: { webhookId: id } }), {
    invalidates: [WEBHOOKS_KEY],
    onSuccess: (delivery) => onTested(delivery.id),
  });

interface Change {
  webhook: ApiWebhook;
  status: 'active' | 'inactive';
}

export function useSetStatus() {
  const t = useText();
  const toast = useToast();
  return useWrite(
    ({ webhook, status }: Change) =>
      updateApiWebhook(client, { path: { webhookId: webhook.id }, body: { status } }),
    {
      invalidates: [WEBHOOKS_KEY],
      onSuccess: (_, { status }) =>
        toast({ text: t(status === 'active' ? 'webhooks.enabled' : 'webhooks.paused') }),
    },
  );
}
