import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathOfUrl, storedNames, upload } from '../kit/files.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { listen, send } from '../kit/wire.ts';

const server = await useServer();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function uploaded(tenant: TestTenant, content: string | Buffer, name: string, type?: string) {
  const { body } = await upload(tenant, content, name, type === undefined ? {} : { type });
  const { publicUrl } = (await tenant.get(`/v3/files/${body.data.id}/public_url`)).body.data;
  return { ...body.data, publicUrl, publicPath: pathOfUrl(publicUrl), path: `/v3/files/${body.data.id}` };
}

describe('the bytes of a file', () => {
  const content = '0123456789';

  it.each([
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=7-99999999999999999999', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, content, 'bytes 0-9/10'],
    ['bytes=0-9', 206, content, 'bytes 0-9/10'],
    ['bytes=0-1,3-4', 200, content, undefined],
    ['bytes=4-2', 200, content, undefined],
    ['bytes=-', 200, content, undefined],
    ['bytes=a-b', 200, content, undefined],
    ['lines=1-2', 200, content, undefined],
  ])('are sent by range: %s', async (range, status, text, place) => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, content, 'digits.txt');
    for (const answer of [
      await tenant.get(`${file.path}/content`, { headers: { range } }),
      await server.call('GET', file.publicPath, { headers: { range } }),
    ]) {
      expect([answer.status, answer.text]).toEqual([status, text]);
      expect(answer.headers['content-range']).toBe(place);
      expect(answer.headers['content-length']).toBe(String(text.length));
      expect(answer.headers['accept-ranges']).toBe('bytes');
    }
  });

  it.each([
    'bytes=10-',
    'bytes=10-12',
    'bytes=-0',
    'bytes=99999999999999999999-',
  ])('have no range after their end: %s', async (range) => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, content, 'digits.txt');
    const answer = await tenant.get(`${file.path}/content`, { headers: { range } });
    expect([answer.status, answer.body.error.messageKey]).toEqual([416, 'range_not_satisfiable']);
    expect(answer.headers['content-range']).toBe('bytes */10');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('have their checksum as ETag and are not sent again to a client that has them', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, content, 'digits.txt');
    const etag = `"${file.sha256}"`;
    for (const path of [`${file.path}/content`, file.publicPath]) {
      const get = (headers: Record<string, string>) => tenant.get(path, { headers });
      expect((await get({})).headers.etag).toBe(etag);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const answer = await get({ 'if-none-match': known });
        expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', etag]);
        expect(answer.headers['content-length']).toBeUndefined();
        expect(answer.headers['cache-control']).not.toBe('no-store');
      }
      expect((await get({ 'if-none-match': '"other"' })).text).toBe(content);
      const range = 'bytes=5-';
      expect((await get({ range, 'if-range': etag })).text).toBe('56789');
      for (const stale of ['"other"', `W/${etag}`, 'Sun, 15 Nov 2026 00:00:00 GMT'])
        expect((await get({ range, 'if-range': stale })).status).toBe(200);
    }
  });

  it('answer HEAD without a body', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, content, 'digits.txt');
    const port = await listen(server.system.app.server);
    const authorization = `Bearer ${tenant.token}`;
    for (const path of [`${file.path}/content`, file.publicPath]) {
      const whole = await send(port, 'HEAD', path, { headers: { authorization } });
      expect([whole.status, whole.text]).toEqual([200, '']);
      expect(whole.headers).toMatchObject({ 'content-length': '10', etag: `"${file.sha256}"` });
      const part = await send(port, 'HEAD', path, { headers: { authorization, range: 'bytes=1-2' } });
      expect([part.status, part.headers['content-length']]).toEqual([206, '2']);
      const known = { authorization, 'if-none-match': whole.headers.etag as string };
      expect((await send(port, 'HEAD', path, { headers: known })).status).toBe(304);
    }
  });

  it('that are lost are 404 and not an internal error', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, content, 'digits.txt');
    await rm(join(server.filesFolder, file.id.slice(-2), file.id));
    for (const path of [`${file.path}/content`, file.publicPath])
      expect((await tenant.get(path)).body.error.messageKey).toBe('file_not_found');
  });

  it('are removed after the file is deleted, and with their tenant', async () => {
    const [one, other] = [await server.tenant(), await server.tenant()];
    const files = [await uploaded(one, 'x', 'x.txt'), await uploaded(other, 'y', 'y.txt')];
    await one.delete(files[0]?.path);
    await server.call('DELETE', `/admin/tenants/${other.id}`, {
      token: 'operator-token-for-tests-0123456789abcdef',
    });
    for (const { publicPath } of files) expect((await server.call('GET', publicPath)).status).toBe(404);
    await server.settle();
    const names = await storedNames(server);
    for (const { id } of files) expect(names).not.toContain(id);
    const { rows } = await server.system.db.query('select 1 from file_removals', []);
    expect(rows).toEqual([]);
  });
});

describe('a public URL', () => {
  it('never changes, also for fifty requests at once, and differs for every file', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, 'x', 'Grüße & so.txt');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => tenant.get(`${file.path}/public_url`)),
    );
    expect(new Set(answers.map(({ body }) => body.data.publicUrl))).toEqual(new Set([file.publicUrl]));
    expect(file.publicUrl).toMatch(
      /^https:\/\/parley\.test\/public\/files\/[\w-]{22}\/Gr%C3%BC%C3%9Fe%20%26%20so\.txt$/,
    );
    expect((await uploaded(tenant, 'x', 'Grüße & so.txt')).publicUrl).not.toBe(file.publicUrl);
  });

  it('is enough to download the file, and its content can be cached', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, PNG, 'dot.png');
    const answer = await server.call('GET', file.publicPath);
    expect(answer.bytes).toEqual(PNG);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'content-disposition': 'inline; filename="dot.png"; filename*=UTF-8\'\'dot.png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
    const own = await tenant.get(`${file.path}/content`);
    expect(own.headers['cache-control']).toBe('private, no-cache');
  });

  it('ends in a name that is ignored', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, 'x', 'x.txt');
    const port = await listen(server.system.app.server);
    const folder = file.publicPath.slice(0, file.publicPath.lastIndexOf('/'));
    for (const name of ['x.txt', 'other.html', '%2e%2e%2f', 'x'.repeat(5000), '%zz', 'x.txt?a=b'])
      expect((await send(port, 'GET', `${folder}/${name}`)).text).toBe('x');
    expect((await send(port, 'GET', `${folder}/a/b`)).body.error.messageKey).toBe('route_not_found');
  });

  it.each([
    'AAAAAAAAAAAAAAAAAAAAAA',
    'x',
    '%00',
    '..',
    `${'A'.repeat(22)}%00`,
    '%F0%9F%98%80',
  ])('with a wrong token is 404 in the envelope: %s', async (token) => {
    const port = await listen(server.system.app.server);
    const answer = await send(port, 'GET', `/public/files/${token}/x.txt`);
    expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'file_not_found']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is not in the log', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, 'x', 'planted-name.txt');
    await server.call('GET', file.publicPath);
    await server.call('GET', file.publicPath, { headers: { range: 'bytes=9-' } });
    const token = file.publicPath.split('/')[3] as string;
    expect(server.logged.filter((line) => line.includes(token) || line.includes('planted-name'))).toEqual([]);
  });
});

describe('a file that a browser could execute', () => {
  const SCRIPT = '<script>alert(1)</script>';
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';

  it.each<[string, string, string | Buffer, string, string]>([
    ['a page', 'page.html', `<!doctype html>${SCRIPT}`, 'text/html', 'text/html'],
    ['a drawing', 'drawing.svg', SVG, 'image/svg+xml', 'image/svg+xml'],
    ['a page with two extensions', 'photo.jpg.html', SCRIPT, 'image/jpeg', 'text/html'],
    ['a page that says it is a picture', 'photo.png', SCRIPT, 'image/png', 'text/html'],
    ['a drawing that says it is a picture', 'photo.png', SVG, 'image/png', 'image/svg+xml'],
    ['XML', 'feed.xml', '<?xml version="1.0"?><a/>', 'image/png', 'application/xml'],
    ['bytes', 'photo.png', Buffer.from([0, 1, 2, 255]), 'image/png', 'application/octet-stream'],
  ])('F1: is sent as an attachment with the type of its bytes: %s', async (_, name, content, claimed, type) => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, content, name, claimed);
    expect(file.mimeType).toBe(type);
    for (const answer of [
      await server.call('GET', file.publicPath),
      await tenant.get(`${file.path}/content`),
      await server.call('GET', file.publicPath, { headers: { range: 'bytes=0-1' } }),
    ]) {
      expect(answer.headers['content-disposition']).toMatch(/^attachment;/);
      expect(answer.headers['content-type']).toMatch(type);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['content-security-policy']).toMatch(
        /^default-src 'none';.*; sandbox allow-same-origin$/,
      );
    }
  });

  it('F1: a script with a harmless type is sent as text, which no browser executes', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, 'alert(1)', 'code.js', 'text/javascript');
    const { headers } = await server.call('GET', file.publicPath);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('F1: a name cannot add a header', async () => {
    const tenant = await server.tenant();
    const file = await uploaded(tenant, 'x', 'a%0d%0aSet-Cookie: x=1;.txt');
    const { headers } = await server.call('GET', file.publicPath);
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['content-disposition']).not.toMatch(/[\r\n]/);
  });
});
