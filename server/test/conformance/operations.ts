import { randomUUID } from 'node:crypto';

/** An operation that the specification documents. */
export interface Operation {
  /** As in the specification, with the version in front. */
  name: string;
  method: string;
  /** A path with unknown ids. */
  path: string;
  scope: string;
  /** Whether the plan `free` lacks it. */
  isPaidFor?: boolean;
}

const operation = (name: string, scope: string, isPaidFor = false): Operation => {
  const [method = '', path = ''] = name.split(' ');
  return { name, method, path: path.replaceAll(/\{\w+\}/g, () => randomUUID()), scope, isPaidFor };
};

export const v3Operations: readonly Operation[] = [
  operation('GET /v3/chats/{chatId}', 'chats:read'),
  operation('DELETE /v3/chats/{chatId}', 'chats:delete'),
  operation('POST /v3/chats/{chatId}/status', 'chats:write'),
  operation('POST /v3/contacts/{contactId}/labels', 'contacts:write'),
  operation('POST /v3/automations/{automationId}/trigger', 'automations:trigger', true),
  operation('POST /v3/automations/search', 'automations:read', true),
  operation('PUT /v3/api_webhooks/{webhookId}', 'webhooks:write'),
  operation('DELETE /v3/api_webhooks/{webhookId}', 'webhooks:write'),
  operation('DELETE /v3/message_templates/{messageTemplateId}', 'templates:write'),
  operation('GET /v3/files/{fileId}/public_url', 'files:read'),
];

export const v2Operations: readonly Operation[] = [
  operation('GET /v2/api_webhooks', 'webhooks:read'),
  operation('POST /v2/api_webhooks', 'webhooks:write'),
  operation('PUT /v2/api_webhooks/{webhookId}', 'webhooks:write'),
  operation('DELETE /v2/api_webhooks/{webhookId}', 'webhooks:write'),
  operation('GET /v2/attributes', 'attributes:read'),
  operation('POST /v2/attributes', 'attributes:write'),
  operation('DELETE /v2/attributes/{attributeId}', 'attributes:write'),
  operation('GET /v2/{channelId}/broadcasts', 'campaigns:read', true),
  operation('POST /v2/{channelId}/broadcasts', 'campaigns:write', true),
];

/** Rows for `it.each`, which name a test after its operation. */
export const named = (operations: readonly Operation[]): [string, Operation][] =>
  operations.map((one) => [one.name, one]);
