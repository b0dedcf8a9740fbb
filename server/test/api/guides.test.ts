import { describe, expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('GET /', () => {
  it('sends a browser to the console, and a program gets the error of an unknown path', async () => {
    const browser = await server.call('GET', '/', { headers: html });
    expect([browser.status, browser.headers.location]).toEqual([302, '/console']);
    for (const accept of ['application/json', '*/*']) {
      const program = await server.call('GET', '/', { headers: { accept } });
      expect(program.status).toBe(404);
      expect(program.body).toMatchObject({ success: false, error: { messageKey: 'route_not_found' } });
      expect(program.headers.vary).toBe('accept');
    }
  });
});

describe('the guides at /docs/guides', () => {
  const read = (path: string) => server.call('GET', path, { headers: html });

  it('start with an index that links to every guide, and every link works', async () => {
    const index = await read('/docs/guides');
    expect(index.status).toBe(200);
    expect(index.headers['content-type']).toBe('text/html; charset=utf-8');
    const links = new Set(
      [...index.text.matchAll(/href="(\/docs\/guides\/[^"#]+)/g)].map(([, path]) => path),
    );
    for (const path of ['webhooks', 'channels/email', 'operate/backups'])
      expect(links).toContain(`/docs/guides/${path}`);
    for (const path of links) expect([path, (await read(path as string)).status]).toEqual([path, 200]);
  });

  it('link to each other and to the reference, and headings have the ids that links use', async () => {
    const { text } = await read('/docs/guides/quickstart');
    expect(text).toContain('<a href="/docs/guides/webhooks#verify-a-request">');
    expect(text).toContain('<a href="/docs">API reference</a>');
    expect((await read('/docs/guides/webhooks')).text).toContain(
      '<h2 id="verify-a-request">Verify a request</h2>',
    );
    expect((await read('/docs/guides/channels/sms')).text).toContain('<a href="/docs/guides/public-url">');
  });

  it('show Markdown as text: code is escaped, tables are tables', async () => {
    const { text } = await read('/docs/guides/channels/email');
    expect(text).toContain('&lt;p&gt;Your order is');
    expect(text).toContain('<table>');
    expect(text).not.toContain('\n| ');
  });

  it('run no script, load nothing from elsewhere and need no inline style', async () => {
    const { headers, text } = await read('/docs/guides/webhooks/');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'self'; img-src 'self' data:;/,
    );
    expect(text).not.toMatch(/<script|style="|src="/);
    const style = await read('/docs/guides/style.css');
    expect([style.status, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
    expect(style.text).not.toMatch(/url\(|@import/);
  });

  it('have pictures, which are served beside them', async () => {
    const { text } = await read('/docs/guides/console');
    const sources = [...text.matchAll(/<img src="([^"]+)" alt="[^"]+"/g)].map(([, path]) => path as string);
    expect(sources.length).toBeGreaterThan(3);
    for (const path of sources) {
      expect(path).toMatch(/^\/docs\/guides\/images\/[a-z0-9-]+\.png$/);
      const picture = await read(path);
      expect([path, picture.status, picture.headers['content-type']]).toEqual([path, 200, 'image/png']);
    }
  });

  it.each([
    '/docs/guides/images/nothing.png',
    '/docs/guides/images/..%2Fuse%2Fconsole.md',
    '/docs/guides/images/..%2F..%2Fpackage.json',
    '/docs/guides/nothing',
    '/docs/guides/README',
    '/docs/guides/develop/architecture',
    '/docs/guides/../../README',
    '/docs/guides/..%2F..%2Fpackage',
  ])('have a page for what does not exist: %s', async (path) => {
    const page = await read(path);
    expect(page.status).toBe(404);
    expect(page.text).not.toContain('parley-workspace');
  });

  it.each([
    '/docs/guides/nothing',
    '/docs/nope',
    '/docs/js/nope.js',
  ])('answer programs with the envelope: %s', async (path) => {
    const answer = await server.call('GET', path);
    expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'route_not_found']);
    expect(answer.body.error.requestId).toBe(answer.headers['x-request-id']);
  });
});
