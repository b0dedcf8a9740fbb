import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

const SCRIPT = 'console.log("hello")';
const html = { headers: { accept: 'text/html' } };

/** A folder as `console/build.js` leaves it. */
async function build(folder: string, build = 'main.AAAA.js'): Promise<string> {
  const assets = join(folder, 'assets');
  await mkdir(assets, { recursive: true });
  await writeFile(join(assets, build), SCRIPT);
  await writeFile(join(assets, `${build}.br`), brotliCompressSync(SCRIPT));
  await writeFile(join(assets, `${build}.gz`), gzipSync(SCRIPT));
  const manifest = {
    build,
    script: build,
    styles: 'main.BBBB.css',
    preload: ['chunk.CCCC.js'],
    files: [build],
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'secret.js'), 'no');
  return folder;
}

const consoleFolder = await build(await useTempFolder());
const server = await useServer({ consoleFolder });
const get = (path: string, headers: Record<string, string> = {}) => server.call('GET', path, { headers });

describe('the pages of the console', () => {
  it.each([
    '/console',
    '/console/',
    '/console/inbox/1?x=y',
    '/console/welcome',
  ])('%s is the same page, with a strict policy and never from a cache without asking', async (path) => {
    const page = await get(path);
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(page.text).toContain('<script type="module" src="/console/assets/main.AAAA.js">');
    expect(page.text).toContain('href="/console/assets/main.BBBB.css"');
    expect(page.text).not.toMatch(/<script>|<style|onerror=/);
  });

  it('/ leads browsers there, and API clients get the 404 of an unknown path', async () => {
    const browser = await server.call('GET', '/', html);
    expect(browser.status).toBe(302);
    expect(browser.headers.location).toBe('/console');
    expect((await get('/')).body.error.messageKey).toBe('route_not_found');
  });

  it.each([
    ['br', 'br, gzip', brotliDecompressSync],
    ['gzip', 'gzip, br;q=0', gunzipSync],
    [undefined, 'identity', (bytes: Buffer) => bytes],
  ])('files are sent as they were compressed: %s for "%s"', async (encoding, accepted, decompress) => {
    const file = await get('/console/assets/main.AAAA.js', { 'accept-encoding': accepted });
    expect(file.headers['content-encoding']).toBe(encoding);
    expect(file.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    expect(decompress(file.bytes).toString('utf8')).toBe(SCRIPT);
  });

  it.each([
    '../secret.js',
    '..%2fsecret.js',
    '%2e%2e/secret.js',
    '..\\secret.js',
    'no.js',
    'main.AAAA.js.br',
    '',
    'a%00.js',
  ])('no file is at assets/%s', async (name) => {
    const answer = await get(`/console/assets/${name}`);
    expect(answer.text).not.toBe('no');
    expect(answer.status === 404 || answer.headers['content-type'] === 'text/html; charset=utf-8').toBe(true);
  });

  it('a new build is served at once, and tabs that are open still find their files', async () => {
    expect((await get('/console/version.json')).body).toEqual({ build: 'main.AAAA.js' });
    await build(consoleFolder, 'main.DDDD.js');
    expect((await get('/console')).text).toContain('main.DDDD.js');
    expect((await get('/console/version.json')).body).toEqual({ build: 'main.DDDD.js' });
    expect((await get('/console/assets/main.AAAA.js')).status).toBe(200);
  });

  it('the path of a reverse proxy is in every address', async () => {
    const behind = await useServer({ consoleFolder, baseUrl: () => 'https://example.com/help/desk' });
    const page = await behind.call('GET', '/console/inbox');
    expect(page.text).toContain('data-base="/help/desk"');
    expect(page.text).toMatch(/src="\/help\/desk\/console\/assets\/main\./);
    expect((await behind.call('GET', '/', html)).headers.location).toBe('/help/desk/console');
  });

  it('without a build it says what to do', async () => {
    const unbuilt = await useServer({ consoleFolder: await useTempFolder() });
    const page = await unbuilt.call('GET', '/console');
    expect(page.status).toBe(503);
    expect(page.body.error.message).toContain('node console/build.js');
  });
});
