import Fastify from 'fastify';
import type pg from 'pg';
import { Me } from '../../src/access/schema.ts';
import { Chat } from '../../src/chats/schema.ts';
import { data } from '../../src/http/answer.ts';
import { chatJson, chatStatement } from './chat-json.ts';
import { listen } from './tools.ts';

export async function startMe(answer: unknown): Promise<number> {
  const app = Fastify({ logger: false });
  app.get('/v3/me', { schema: { response: { 200: data(Me).schema } } }, (_request, reply) => {
    reply.send(answer);
  });
  return listen(app);
}

export async function startChats(db: pg.Pool, tenantId: string): Promise<number> {
  const app = Fastify({ logger: false });
  const { name, text } = chatStatement();
  app.get<{ Params: { chatId: string } }>(
    '/v3/chats/:chatId',
    { schema: { response: { 200: data(Chat).schema } } },
    async (request) => {
      const { rows } = await db.query({ name, text, values: [request.params.chatId, tenantId] });
      return { success: true, data: chatJson(rows[0]) };
    },
  );
  return listen(app);
}
