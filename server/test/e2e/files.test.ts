import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, useBrowser } from '../kit/browser.ts';
import { type Program, useProgram } from '../kit/program.ts';

/** If it ever runs, the page shows it by its title, by its address and by a new window. */
const SCRIPT = 'document.title = "ran"; alert("ran"); location.hash = "ran"; window.open("/ran")';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload='${SCRIPT}'><script>${SCRIPT}</script></svg>`;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A second of silence. */
const WAV = Buffer.concat([
  Buffer.from(
    '524946466420000057415645666d74201000000001000100401f0000401f00000100080064617461401f0000',
    'hex',
  ),
  Buffer.alloc(8_000, 128),
]);

describe.runIf(CHROMIUM)('a public file in a browser', () => {
  let parley: Program;
  let browser: Browser;
  let token: string;
  beforeAll(async () => {
    parley = await useProgram();
    token = /^TOKEN=(.+)$/m.exec(parley.output())?.[1] as string;
    browser = await useBrowser();
  });

  async function publish(content: string | Buffer, filename: string, type: string): Promise<string> {
    const headers = { authorization: `Bearer ${token}` };
    const body = new FormData();
    body.append('file', new Blob([content as never], { type }), filename);
    const made = await (await fetch(`${parley.url}/v3/files`, { method: 'POST', headers, body })).json();
    const { data } = (await (
      await fetch(`${parley.url}/v3/files/${(made as { data: { id: string } }).data.id}/public_url`, {
        headers,
      })
    ).json()) as { data: { publicUrl: string } };
    return data.publicUrl;
  }

  /** Which parts of the script a browser ran: on the URL itself, in frames of a page of this server, and as its script. */
  async function ranIn(url: string, instead?: { contentType: string; body: string }): Promise<string[]> {
    const ran: string[] = [];
    const context = await browser.newContext();
    context.on('dialog', (dialog) => {
      ran.push('dialog');
      void dialog.dismiss();
    });
    if (instead) await context.route(url, (route) => route.fulfill(instead));
    const body = `<iframe src="${url}"></iframe><embed src="${url}"><object data="${url}"></object><script src="${url}"></script>`;
    await context.route('**/frames', (route) => route.fulfill({ contentType: 'text/html', body }));
    const pages = [await context.newPage(), await context.newPage()] as const;
    // A file that is to be saved starts a download, and then there is no page.
    await pages[0].goto(url).catch((error) => expect(String(error)).toContain('Download is starting'));
    await pages[1].goto(`${parley.url}/frames`, { waitUntil: 'networkidle' });
    for (const page of pages) {
      if ((await page.title()) === 'ran') ran.push('title');
      if (page.url().includes('#ran')) ran.push('address');
    }
    if (context.pages().length > pages.length) ran.push('window');
    await context.close();
    return ran;
  }

  it.each([
    ['a page', `<!doctype html><script>${SCRIPT}</script>`, 'page.html', 'text/html'],
    ['a drawing', SVG, 'drawing.svg', 'image/svg+xml'],
    ['a drawing in XML', `<?xml version="1.0"?>${SVG}`, 'drawing.xml', 'text/xml'],
    ['a page with two extensions', `<script>${SCRIPT}</script>`, 'photo.jpg.html', 'image/jpeg'],
    ['a page that claims to be a picture', `<html><script>${SCRIPT}</script>`, 'photo.png', 'image/png'],
    ['a page in the middle of a text', `Hello <script>${SCRIPT}</script>`, 'text.html', 'text/html'],
    [
      'a page after the header of a picture',
      Buffer.concat([PNG, Buffer.from(`<script>${SCRIPT}</script>`)]),
      'a.html',
      'text/html',
    ],
  ])('F1: runs no script, whatever type it claims to be: %s', async (_, content, filename, type) => {
    const url = await publish(content, filename, type);
    expect(await ranIn(url)).toEqual([]);
  });

  it('F1: a script that runs is noticed', async () => {
    const url = await publish(`<!doctype html><script>${SCRIPT}</script>`, 'page.html', 'text/html');
    const careless = { contentType: 'text/html', body: `<!doctype html><script>${SCRIPT}</script>` };
    expect(await ranIn(url, careless)).toEqual(expect.arrayContaining(['dialog', 'title', 'address']));
  });

  it('is shown if it is a picture, and played if it is a sound', async () => {
    const page = await browser.newPage();
    await page.goto(await publish(PNG, 'dot.png', 'image/png'));
    expect(await page.evaluate('document.images[0]?.naturalWidth')).toBe(1);
    await page.goto(await publish(WAV, 'silence.wav', 'audio/wav'));
    await page.waitForFunction('document.querySelector("video, audio")?.readyState === 4');
    await page.close();
  });
});
