import { Type } from 'typebox';
import type { Keys } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import { call, DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { Uuid } from '../http/schema.ts';
import { searchRoute } from '../http/search-route.ts';
import { type AdapterContext, templateStatuses } from '../providers/adapter.ts';
import { changeTemplate, createTemplate, removeTemplate, type TemplateDeps } from './change-template.ts';
import { exampleTemplate } from './example.ts';
import {
  MessageTemplate,
  MessageTemplateChange,
  NewMessageTemplate,
  TemplateSync,
  templateCategories,
} from './schema.ts';
import { syncTemplates } from './sync-templates.ts';
import { presentTemplate, requireTemplate, TEMPLATE_COLUMNS } from './template.ts';

const TemplateId = Type.Object({ messageTemplateId: Type.String() });
const at = { params: { messageTemplateId: exampleTemplate.id } };

export function templateRoutes(
  deps: TemplateDeps & { db: Database; keys: Keys; context: AdapterContext },
): Route[] {
  const { db } = deps;
  return [
    write(
      {
        method: 'POST',
        path: '/v3/message_templates',
        operationId: 'createMessageTemplate',
        tag: 'Message templates',
        summary: 'Make a message template',
        description:
          'A text with variables, `{{name}}` or `{{1}}`, that can be sent at any time, also where a free-form message no longer can. Where the vendor reviews templates, as WhatsApp does, it is `pending` until the vendor has decided; elsewhere it is `approved` at once. A WhatsApp channel in the sandbox decides after its `statusDelayMs`: names with `reject` are rejected, all others approved.',
        access: 'templates:write',
        body: NewMessageTemplate,
        answer: data(MessageTemplate),
        failures: [],
        example: {
          body: {
            channelId: exampleTemplate.channelId,
            name: exampleTemplate.name,
            language: exampleTemplate.language,
            category: exampleTemplate.category,
            body: exampleTemplate.body,
            header: { type: 'text', text: 'Good news' },
            footer: exampleTemplate.footer,
            buttons: [{ type: 'url', text: 'Track it', url: 'https://exampleTemplate.com/track/{{number}}' }],
          },
          answer: exampleTemplate,
        },
      },
      ({ principal, body }, tx) => createTemplate(tx, principal.tenantId, body, deps),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/message_templates/:messageTemplateId',
        operationId: 'getMessageTemplate',
        tag: 'Message templates',
        summary: 'Read a message template',
        description: 'With the variables that its texts have.',
        access: 'templates:read',
        params: TemplateId,
        answer: data(MessageTemplate),
        failures: ['message_template_not_found'],
        example: { ...at, answer: exampleTemplate },
      },
      ({ principal, params }) => requireTemplate(db.byKey, principal.tenantId, params.messageTemplateId),
    ),
    searchRoute(db, {
      path: '/v3/message_templates/search',
      operationId: 'searchMessageTemplates',
      tag: 'Message templates',
      noun: 'message templates',
      access: 'templates:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 't.id' },
          channelId: { type: 'uuid', sql: 't.channel_id' },
          name: { type: 'string', sql: 't.name' },
          language: { type: 'string', sql: 't.language' },
          category: { type: 'enum', sql: 't.category', values: templateCategories },
          status: { type: 'enum', sql: 't.status', values: templateStatuses },
          createdAt: { type: 'time', sql: 't.created_at' },
          updatedAt: { type: 'time', sql: 't.updated_at' },
        },
        names: ['t.name'],
        id: 't.id',
      },
      source: { select: TEMPLATE_COLUMNS, from: 'message_templates t', tenantColumn: 't.tenant_id' },
      schema: MessageTemplate,
      present: presentTemplate,
      example: { query: 'eq(language,"en_US")', item: exampleTemplate },
    }),
    write(
      {
        method: 'PUT',
        path: '/v3/message_templates/:messageTemplateId',
        operationId: 'updateMessageTemplate',
        tag: 'Message templates',
        summary: 'Change a message template',
        description:
          'Changes what is given; `header: null` and `footer: null` take them away, `buttons` replaces them all. The channel stays. Where the vendor reviews templates, name and language stay, too, and it is `pending` again until the vendor has decided; one that was rejected is submitted again.',
        access: 'templates:write',
        params: TemplateId,
        body: MessageTemplateChange,
        answer: data(MessageTemplate),
        failures: ['message_template_not_found', 'conflict'],
        example: {
          ...at,
          body: { body: exampleTemplate.body, header: exampleTemplate.header },
          answer: exampleTemplate,
        },
      },
      ({ principal, params, body }, tx) =>
        changeTemplate(tx, principal.tenantId, params.messageTemplateId, body, deps),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/message_templates/:messageTemplateId',
        operationId: 'deleteMessageTemplate',
        tag: 'Message templates',
        summary: 'Delete a message template',
        description:
          'Permanent, and at the vendor, too: there in this language only, a moment later. What names it, such as a step of an automation, is not changed.',
        access: 'templates:write',
        params: TemplateId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [exampleTemplate.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(
          params.messageTemplateId,
          await removeTemplate(tx, principal.tenantId, params.messageTemplateId, deps),
        ),
    ),
    call(
      {
        method: 'POST',
        path: '/v3/message_templates/sync',
        operationId: 'syncMessageTemplates',
        tag: 'Message templates',
        summary: "Take over the vendor's message templates",
        description:
          'Asks the vendor for all templates of a channel: those that are not here are made, those that are different there are changed, and those that are no longer there are `disabled`. What is still on its way to the vendor stays as it is. Where no vendor keeps templates, nothing changes.',
        access: 'templates:write',
        body: Type.Object({ channelId: Uuid() }),
        answer: data(TemplateSync),
        failures: ['conflict', 'service_unavailable'],
        example: {
          body: { channelId: exampleTemplate.channelId },
          answer: { created: 2, updated: 1, removed: 0, total: 12 },
        },
      },
      ({ principal, body }) => syncTemplates(principal.tenantId, body.channelId, deps),
    ),
  ];
}
