import { Type } from 'typebox';
import { Force, requireUnused } from '../campaigns/in-use.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { Uuid } from '../http/schema.ts';
import { searchRoute } from '../http/search-route.ts';
import { templateQualities, templateStatuses } from '../providers/vendor-template.ts';
import { changeTemplate, createTemplate, removeTemplate } from './change-template.ts';
import { exampleTemplate } from './example.ts';
import {
  MessageTemplate,
  MessageTemplateChange,
  NewMessageTemplate,
  TemplateSync,
  templateCategories,
} from './schema.ts';
import { type SyncDeps, syncTemplates } from './sync-templates.ts';
import { presentTemplate, requireTemplate, TEMPLATE_COLUMNS } from './template.ts';

const templates = routeFamily({
  tag: 'Message templates',
  params: Type.Object({ messageTemplateId: Type.String() }),
  exampleParams: { messageTemplateId: exampleTemplate.id },
});

export function templateRoutes(deps: SyncDeps): Route[] {
  const { adapters } = deps;
  return [
    templates.write(
      {
        method: 'POST',
        path: '/v3/message_templates',
        operationId: 'createMessageTemplate',
        summary: 'Create a message template',
        description:
          'A template is a text with variables, `{{name}}` or `{{1}}`, that can be sent at any time, even when free-form messages are not allowed. If the vendor reviews templates, as WhatsApp does, it is `pending` until the vendor has decided; otherwise it is `approved` immediately. A WhatsApp channel in the sandbox decides after its `statusDelayMs`: names with `reject` are rejected, all others approved.',
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
            buttons: [{ type: 'url', text: 'Track it', url: 'https://example.com/track/{{number}}' }],
          },
          answer: exampleTemplate,
        },
      },
      ({ body }, tx) => createTemplate(tx, body, adapters),
    ),
    templates.read(
      {
        method: 'GET',
        path: '/v3/message_templates/:messageTemplateId',
        operationId: 'getMessageTemplate',
        summary: 'Get a message template',
        description: 'Returns the template with the list of its variables.',
        access: 'templates:read',
        answer: data(MessageTemplate),
        failures: ['message_template_not_found'],
        example: { answer: exampleTemplate },
      },
      ({ params }, db) => requireTemplate(db.byKey, params.messageTemplateId),
    ),
    searchRoute({
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
          rejectionReason: { type: 'string', sql: 't.rejection_reason', nullable: true, isLong: true },
          problem: { type: 'string', sql: 't.problem', nullable: true, isLong: true },
          quality: { type: 'enum', sql: 't.quality', nullable: true, values: templateQualities },
          vendorId: { type: 'string', sql: 't.vendor_id', nullable: true },
          body: { type: 'string', sql: 't.body', isLong: true },
          footer: { type: 'string', sql: 't.footer', nullable: true },
          createdAt: { type: 'time', sql: 't.created_at' },
          updatedAt: { type: 'time', sql: 't.updated_at' },
        },
        names: ['t.name'],
        id: 't.id',
      },
      source: {
        select: TEMPLATE_COLUMNS,
        from: 'message_templates t',
        tenantColumn: 't.tenant_id',
        inChannels: (ids) => `t.channel_id = any (${ids})`,
      },
      schema: MessageTemplate,
      present: presentTemplate,
      example: { query: 'eq(language,"en_US")', item: exampleTemplate },
    }),
    templates.write(
      {
        method: 'PUT',
        path: '/v3/message_templates/:messageTemplateId',
        operationId: 'updateMessageTemplate',
        summary: 'Update a message template',
        description:
          'Changes the given fields; `header: null` and `footer: null` remove them, `buttons` replaces all buttons. The channel cannot be changed. If the vendor reviews templates, name and language cannot be changed either, and the template is `pending` again until the vendor has decided; a rejected one is submitted again.',
        access: 'templates:write',
        body: MessageTemplateChange,
        answer: data(MessageTemplate),
        failures: ['message_template_not_found', 'conflict'],
        example: {
          body: { body: exampleTemplate.body, header: exampleTemplate.header },
          answer: exampleTemplate,
        },
      },
      ({ params, body }, tx) => changeTemplate(tx, params.messageTemplateId, body, adapters),
    ),
    templates.write(
      {
        method: 'DELETE',
        path: '/v3/message_templates/:messageTemplateId',
        operationId: 'deleteMessageTemplate',
        summary: 'Delete a message template',
        description:
          'Deletes the template permanently, and shortly after at the vendor, there in this language only. References to it, such as steps of automations, are not changed.',
        access: 'templates:write',
        query: Force,
        answer: data(DeleteResult),
        failures: ['conflict'],
        example: { answer: { deletedIds: [exampleTemplate.id], notFoundIds: [] } },
      },
      async ({ params, query }, tx) => {
        await requireUnused(tx, 'template', params.messageTemplateId, query);
        return deleted(
          params.messageTemplateId,
          await removeTemplate(tx, params.messageTemplateId, adapters),
        );
      },
    ),
    templates.call(
      {
        method: 'POST',
        path: '/v3/message_templates/sync',
        operationId: 'syncMessageTemplates',
        summary: 'Sync message templates with the vendor',
        description:
          'Reads all templates of a channel from the vendor: missing ones are created here, different ones are changed, and those that the vendor no longer has are `disabled`. Templates that are still being submitted are not changed. Templates with parts that cannot be used here are left out and named in `leftOut`. If the vendor has no templates of its own, nothing changes.',
        access: 'templates:write',
        body: Type.Object({ channelId: Uuid() }),
        answer: data(TemplateSync),
        failures: ['conflict', 'service_unavailable'],
        example: {
          body: { channelId: exampleTemplate.channelId },
          answer: {
            created: 2,
            updated: 1,
            removed: 0,
            total: 12,
            leftOut: [
              { name: 'spring_products', language: 'en', reason: 'It has a button of the type MPM.' },
            ],
            leftOutTotal: 1,
          },
        },
      },
      ({ body }, db) => syncTemplates(db, body.channelId, deps),
    ),
  ];
}
