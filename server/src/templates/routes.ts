import { Type } from 'typebox';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { templateStatuses } from '../providers/adapter.ts';
import { exampleTemplate } from './example.ts';
import { MessageTemplate, MessageTemplateChange, NewMessageTemplate, templateCategories } from './schema.ts';
import {
  changeTemplate,
  createTemplate,
  presentTemplate,
  removeTemplate,
  requireTemplate,
  TEMPLATE_COLUMNS,
  type TemplateNeeds,
} from './template.ts';

const TemplateId = Type.Object({ messageTemplateId: Type.String() });
const at = { params: { messageTemplateId: exampleTemplate.id } };

export function templateRoutes(needs: TemplateNeeds & { db: Database }): Route[] {
  const { db } = needs;
  return [
    write(
      {
        method: 'POST',
        path: '/v3/message_templates',
        operationId: 'createMessageTemplate',
        tag: 'Message templates',
        summary: 'Make a message template',
        description:
          'A text with variables, `{{name}}` or `{{1}}`, that can be sent at any time, also where a free-form message no longer can. Where the vendor reviews templates it is `pending` until the vendor has decided; elsewhere, and in the sandbox, it is `approved` at once.',
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
      ({ principal, body }, tx) => createTemplate(tx, principal.tenantId, body, needs),
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
          'Changes what is given; `header: null` and `footer: null` take them away, `buttons` replaces them all. The channel stays.',
        access: 'templates:write',
        params: TemplateId,
        body: MessageTemplateChange,
        answer: data(MessageTemplate),
        failures: ['message_template_not_found'],
        example: {
          ...at,
          body: { body: exampleTemplate.body, header: exampleTemplate.header },
          answer: exampleTemplate,
        },
      },
      ({ principal, params, body }, tx) =>
        changeTemplate(tx, principal.tenantId, params.messageTemplateId, body, needs),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/message_templates/:messageTemplateId',
        operationId: 'deleteMessageTemplate',
        tag: 'Message templates',
        summary: 'Delete a message template',
        description: 'Permanent. What names it, such as a step of an automation, is not changed.',
        access: 'templates:write',
        params: TemplateId,
        answer: data(DeleteResult),
        failures: [],
        example: { ...at, answer: { deletedIds: [exampleTemplate.id], notFoundIds: [] } },
      },
      async ({ principal, params }, tx) =>
        deleted(
          params.messageTemplateId,
          await removeTemplate(tx, principal.tenantId, params.messageTemplateId),
        ),
    ),
  ];
}
