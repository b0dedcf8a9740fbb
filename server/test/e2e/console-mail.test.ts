import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { cleanUp } from '../kit/clean-up.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { row, type TestInbox, thread, useInbox, WAIT } from '../kit/inbox.ts';
import { mailHeaders, mailWithParts, pngOf, postedMailChannel } from '../kit/mail-with-pictures.ts';

describe.runIf(CHROMIUM)('the original of a mail', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  let mail: string;
  /** A server of somebody else, and what it was asked for. */
  let foreign: string;
  let asked: string[];
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
    mail = await inbox.createChannel('Help', 'help@shop.test', 'email');
    asked = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.setHeader('content-type', 'text/html').end('<p>Foreign page</p>');
    });
    server.on('connection', () => asked.push('connection'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(() => {
      server.closeAllConnections();
      server.close();
    });
    foreign = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  it('is shown in a frame in which nothing runs, loads, or leaves', async () => {
    const html = `<html><head><title>Hi</title>
      <meta http-equiv="refresh" content="0;url=${foreign}/refresh">
      <meta http-equiv="Content-Security-Policy" content="default-src *">
      <link rel="preconnect" href="${foreign}"><link rel="stylesheet" href="${foreign}/style.css">
      <link rel="prefetch" href="${foreign}/prefetch"><base href="${foreign}/">
      <style>@import url(${foreign}/import.css); body { background: url(${foreign}/background.png) }
        @font-face { font-family: Evil; src: url(${foreign}/font.woff) } p { font-family: Evil; color: rgb(1, 2, 3) }</style>
      <script>parent.broken = 1; top.location = '${foreign}/script'</script>
      <script src="${foreign}/script.js"></script></head>
      <body onload="parent.broken = 2" background="${foreign}/body.png">
      <p>Dear shop</p><img src="${foreign}/pixel.gif" onerror="parent.broken = 3"><img src="relative.png">
      <img srcset="${foreign}/set.png 1x" src="x"><picture><source srcset="${foreign}/source.png"><img></picture>
      <img id="inline" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">
      <svg onload="parent.broken = 4"><image href="${foreign}/svg.png"/><use href="${foreign}/use.svg#a"/></svg>
      <iframe src="${foreign}/frame"></iframe><iframe srcdoc="<script>top.broken = 5</script><img src=${foreign}/srcdoc.png>"></iframe>
      <object data="${foreign}/object"></object><embed src="${foreign}/embed"><video src="${foreign}/video" poster="${foreign}/poster" autoplay></video>
      <audio src="${foreign}/audio" autoplay></audio><input type="image" src="${foreign}/input.png">
      <form action="${foreign}/form" method="post"><button id="send">Send</button></form>
      <a id="js" target="_self" href="javascript:parent.broken=6">Click</a> <a id="top" target="_top" href="${foreign}/top">Top</a>
      <a id="self" target="_self" href="${foreign}/self">Self</a> <a id="ping" target="_self" ping="${foreign}/ping" href="#x">Ping</a>
      <a id="plain" href="${foreign}/plain">Plain</a></body></html>`;
    await inbox.write('Mail Person', 'Dear shop', {
      channelId: mail,
      from: 'mallory@example.com',
      content: { subject: 'A hostile mail', html },
    });
    const { page, context, open } = await test.pageFor('agent');
    await open('/inbox');
    await row(page, 'Mail Person').click(WAIT);
    await thread(page).getByText('Dear shop').waitFor();
    await thread(page).getByRole('button', { name: 'Show original' }).click();
    const frame = page.frameLocator('iframe[title="Original mail"]');
    await frame.getByText('Dear shop').waitFor(WAIT);
    expect(await findViolations(page)).toEqual([]);
    // The look is the sender's, and pictures that the mail contains are shown.
    const inside = page.frames().find((one) => one.url().includes('/original')) as Frame;
    expect(await inside.evaluate(`getComputedStyle(document.querySelector('p')).color`)).toBe('rgb(1, 2, 3)');
    expect(await inside.evaluate(`document.querySelector('#inline').naturalWidth`)).toBe(1);
    expect(asked).toEqual([]);
    const here = page.url();
    // What leads away from the frame ends it, so it comes last.
    for (const id of ['send', 'js', 'top', 'ping', 'self']) {
      await frame.locator(`#${id}`).click();
      expect(page.url()).toBe(here);
    }
    await expect.poll(() => page.frames().some((one) => one.url().startsWith(foreign))).toBe(false);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(context.pages()).toHaveLength(1);
    // A browser may connect to a server when somebody points at a link to it; it has asked for nothing.
    expect(asked.filter((one) => one !== 'connection')).toEqual([]);

    // What somebody clicks opens in a tab of its own, which knows nothing of this one.
    await page.getByRole('button', { name: 'Close' }).last().click();
    await thread(page).getByRole('button', { name: 'Show original' }).click();
    const opened = context.waitForEvent('page');
    await frame.locator('#plain').click();
    const tab = await opened;
    await tab.getByText('Foreign page').waitFor(WAIT);
    expect(await tab.evaluate('[window.opener, document.referrer]')).toEqual([null, '']);
    expect(page.url()).toBe(here);
  });

  it('shows the pictures that came with it, and asks no server for them', async () => {
    const { id } = await test.api('POST', '/v3/channels', postedMailChannel);
    const picture = (contentId: string, width: number, colour: [number, number, number]) => ({
      contentId,
      type: 'image/png',
      filename: `${contentId}.png`,
      bytes: pngOf(width, 40, colour),
    });
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.broken = 7</script></svg>`;
    const posted = mailWithParts({
      from: 'Picture Person <picture@example.com>',
      subject: 'Look at this',
      html: `<p>Two pictures</p><img id="first" alt="A red bar" src="cid:red"> <img id="second" alt="A blue bar" src="cid:blue">
        <img id="svg" src="cid:svg"><img id="other" src="cid:of-another-mail"><img src="${foreign}/pixel.gif">`,
      parts: [
        picture('red', 320, [190, 40, 40]),
        picture('blue', 200, [40, 40, 190]),
        { contentId: 'svg', type: 'image/svg+xml', filename: 'x.svg', bytes: Buffer.from(svg) },
      ],
    });
    const answer = await fetch(`${test.url}/providers/smtp/${id}`, {
      method: 'POST',
      headers: mailHeaders(posted),
      body: posted,
    });
    expect(answer.status).toBe(200);
    asked.length = 0;
    const { page, open } = await test.pageFor('agent');
    await open('/inbox');
    await row(page, 'Picture Person').click(WAIT);
    await thread(page).getByRole('button', { name: 'Show original' }).click(WAIT);
    await page.frameLocator('iframe[title="Original mail"]').getByText('Two pictures').waitFor(WAIT);
    const inside = page.frames().find((one) => one.url().includes('/original')) as Frame;
    const widthOf = (name: string) => inside.evaluate(`document.querySelector('#${name}').naturalWidth`);
    await expect.poll(() => widthOf('first')).toBe(320);
    await expect.poll(() => widthOf('second')).toBe(200);
    expect([await widthOf('svg'), await widthOf('other')]).toEqual([0, 0]);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await findViolations(page)).toEqual([]);
  });

  it('is as safe when it is opened as a page', async () => {
    await inbox.write('Page Person', 'Look', {
      channelId: mail,
      from: 'eve@example.com',
      content: {
        html: `<p>Only text</p><script>document.title = 'broken'; fetch('/v3/me').then(() => { document.title = 'worse' })</script>`,
      },
    });
    const { latestMessage } = await inbox.chatWith('Page Person');
    const { page } = await test.pageFor('agent');
    await page.goto(`${test.url}/v3/messages/${latestMessage.id}/original?tenantId=${test.tenantId}`);
    await page.getByText('Only text').waitFor();
    expect(await page.title()).toBe('');
    expect(await page.evaluate('window.origin')).toBe('null');
    expect(await page.evaluate('(() => { try { return document.cookie } catch { return "none" } })()')).toBe(
      'none',
    );
  });

  it('a mail without HTML offers none', async () => {
    await inbox.write('Plain Person', 'Just text', { channelId: mail, from: 'plain@example.com' });
    const { page, open } = await test.pageFor('agent');
    await open('/inbox');
    await row(page, 'Plain Person').click(WAIT);
    await thread(page).getByText('Just text').waitFor();
    expect(await page.getByRole('button', { name: 'Show original' }).count()).toBe(0);
  });
});
