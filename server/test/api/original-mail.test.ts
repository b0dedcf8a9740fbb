import { expect, it } from 'vitest';
import { usePerson } from '../kit/people.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';

async function receive(tenant: TestTenant, content: object, text = 'Hello'): Promise<string> {
  const channel = (
    await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'sandbox',
      name: 'Help',
      address: 'help@shop.test',
    })
  ).body.data;
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: 'ada@example.com', text, content });
  await server.settle();
  return (await tenant.post('/v3/messages/search', {})).body.data[0].id;
}
const pathOf = (id: string): string => `/v3/messages/${id}/original`;

it('the original of a mail is a page that may do nothing', async () => {
  const tenant = await server.tenant();
  const id = await receive(tenant, { subject: 'Hi', html: '<p style="color:red">Hello</p>' });
  const { status, headers, text } = await tenant.get(pathOf(id));
  expect(status).toBe(200);
  expect(text).toContain('<p style="color:red">Hello</p>');
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
  });
});

it.each([
  '<link rel="preconnect" href="https://evil.example">',
  '<LINK\nrel=dns-prefetch href=//evil.example>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<Meta/http-equiv=x-dns-prefetch-control content=on>',
  '<base href="https://evil.example/">',
  '<<link><meta >',
  '<IFRAME src="https://evil.example"></IFRAME>',
  '<object data="https://evil.example"><embed src="https://evil.example">',
])('elements that no policy covers are none in it: %s', async (html) => {
  const tenant = await server.tenant();
  const { text } = await tenant.get(pathOf(await receive(tenant, { html: `<p>Hi</p>${html}` })));
  const own = text.slice(text.indexOf('<p>Hi</p>'));
  expect(own).not.toMatch(/<(link|meta|base|iframe|object|embed)[\s/>]/i);
  expect(own).toMatch(/<x-(link|meta|base|iframe|object|embed)/i);
});

it('a message without HTML is its text, of which nothing is HTML', async () => {
  const tenant = await server.tenant();
  const { text } = await tenant.get(pathOf(await receive(tenant, {}, '<b>1 & 2</b>')));
  expect(text).toContain('<pre>&lt;b&gt;1 &amp; 2&lt;/b&gt;</pre>');
});

it('nobody gets the mail of another tenant or channel, or without the scope', async () => {
  const tenant = await server.tenant();
  const id = await receive(tenant, { html: '<p>Secret</p>' });
  const other = await server.tenant();
  for (const [path, caller] of [
    [pathOf(id), other],
    [pathOf(UNKNOWN), tenant],
    [pathOf('nonsense'), tenant],
  ] as const) {
    const answer = await caller.get(path);
    expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'message_not_found']);
    expect(answer.text).not.toContain('Secret');
  }
  const token = await tenant.tokenWith(['chats:read']);
  expect((await server.call('GET', pathOf(id), { token })).status).toBe(403);
  expect((await server.call('GET', pathOf(id))).status).toBe(401);
  const person = await usePerson(server, tenant, 'agent');
  expect((await person.get(pathOf(id))).status).toBe(200);
  await tenant.put(`/v3/users/${person.userId}`, { access: 'teams' });
  const restricted = await usePerson(server, tenant, 'agent');
  await tenant.put(`/v3/users/${restricted.userId}`, { access: 'teams' });
  const hidden = await restricted.get(pathOf(id));
  expect([hidden.status, hidden.body.error?.messageKey]).toEqual([404, 'message_not_found']);
});
