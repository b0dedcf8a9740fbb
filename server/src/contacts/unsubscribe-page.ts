import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Keys } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import { recordConsents } from './consent/consents.ts';
import { readUnsubscribeToken, UNSUBSCRIBE_PATH } from './consent/unsubscribe-link.ts';
import { currentContactId } from './merge/find-merged.ts';

const STYLE = `
  :root { color-scheme: light dark; --text: #1b2430; --page: #ffffff; --accent: #0f766e; --on-accent: #ffffff; }
  @media (prefers-color-scheme: dark) { :root { --text: #e3e8ee; --page: #12171d; --accent: #4fd1c5; --on-accent: #12171d; } }
  body { margin: 0; padding: 12vh 1.5rem; background: var(--page); color: var(--text);
    font: 1.0625rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
  main { max-width: 30rem; margin: 0 auto; }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; }
  button { font: inherit; padding: .625rem 1.25rem; border: 0; border-radius: .5rem; cursor: pointer;
    background: var(--accent); color: var(--on-accent); }
  button:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${title}</h1>${content}</main></body>
</html>
`;

const ASK = page(
  'Unsubscribe from these mails?',
  '<p>You will get no more news by email. Answers to your own questions still reach you.</p><form method="post"><button>Unsubscribe</button></form>',
);
const DONE = page(
  'You are unsubscribed',
  '<p>You will get no more news by email. You can close this page.</p>',
);
const UNKNOWN = page(
  'This link does not work',
  '<p>It may be incomplete. Open it again from the mail, or answer the mail with STOP.</p>',
);

const send = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).headers(HEADERS).send(html);

interface PageDeps {
  db: Database;
  keys: Keys;
}

/**
 * The page behind the link of marketing mails. Opening it changes nothing, because mail servers open links to check them; a POST
 * unsubscribes, from the button or in one click from the mail program (RFC 8058).
 */
export async function unsubscribePage(app: FastifyInstance, { db, keys }: PageDeps): Promise<void> {
  app.removeAllContentTypeParsers();
  // What a mail program or a form sends says nothing that the link does not.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 16_384 }, (_request, _body, done) =>
    done(null),
  );
  const path = `${UNSUBSCRIBE_PATH}/:token`;
  app.get<{ Params: { token: string } }>(path, async ({ params }, reply) =>
    readUnsubscribeToken(keys, params.token) ? send(reply, 200, ASK) : send(reply, 404, UNKNOWN),
  );
  app.post<{ Params: { token: string } }>(path, async ({ params }, reply) => {
    const ids = readUnsubscribeToken(keys, params.token);
    if (!ids) return send(reply, 404, UNKNOWN);
    const { messageId } = ids;
    await db.forTenant(ids.tenantId).transaction(async (tx) => {
      const change = {
        contactId: await currentContactId(tx, ids.contactId),
        channelKinds: ['email'],
        status: 'unsubscribed',
        source: 'link',
        at: 'now',
        proof: { messageId },
      } as const;
      tx.publish(...(await recordConsents(tx, [change])));
    });
    return send(reply, 200, DONE);
  });
}
