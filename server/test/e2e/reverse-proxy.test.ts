import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole, waitForShell, watchPage } from '../kit/console.ts';
import { PASSWORD } from '../kit/people.ts';
import { useReverseProxy } from '../kit/reverse-proxy.ts';

describe.runIf(CHROMIUM)('behind a reverse proxy under a path', () => {
  let test: TestConsole;
  let proxy: Awaited<ReturnType<typeof useReverseProxy>>;
  beforeAll(async () => {
    proxy = await useReverseProxy('/tools/parley');
    test = await useConsole({ PORT: String(proxy.port), PARLEY_BASE_URL: proxy.url });
  });

  it('somebody logs in to the console, reads the inbox, and sees a message at once', async () => {
    expect(test.url).toBe(proxy.url);
    const { email } = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.newPage();
    await page.goto(`${proxy.url}/`);
    await page.waitForURL(`${proxy.url}/console/login**`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${proxy.url}/console/inbox**`);
    await waitForShell(page);

    await test.api('POST', `/v3/sandbox/${test.channelId}/inbound`, {
      from: '+15550007777',
      name: 'Mary Jackson',
      text: 'Written through the proxy',
    });
    // Her chat, because the automation of the demo has answered by then.
    await page.getByText('Mary Jackson').first().waitFor();
    await open('/profile');
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/tools/parley/console/profile');
    // Before the login the session is asked for.
    expectNoProblems(/status of 401/);
    expect(proxy.strayed).toEqual([]);
  });

  it('the reference sends requests, and the guides link to each other', async () => {
    const page = await test.browser.newPage();
    const problems = await watchPage(page, test.url);
    await page.goto(`${proxy.url}/docs`, { waitUntil: 'networkidle' });
    expect(new URL(page.url()).pathname).toBe('/tools/parley/docs/');
    const { paths, servers } = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as {
      paths: Record<string, { get: { summary: string } }>;
      servers: object[];
    };
    expect(servers).toEqual([{ url: '/tools/parley' }]);
    const token = /^TOKEN=(.+)$/m.exec(test.program.output())?.[1] as string;
    await page.getByPlaceholder('Token').filter({ visible: true }).first().fill(token);
    await page
      .getByText(paths['/v3/me']?.get.summary as string)
      .first()
      .click();
    await page
      .getByRole('button', { name: /test request/i })
      .first()
      .click();
    const answered = page.waitForResponse((response) => response.url().endsWith('/v3/me'));
    await page.getByRole('button', { name: /^send/i }).first().click();
    const answer = await answered;
    expect([answer.url(), answer.status()]).toEqual([`${proxy.url}/v3/me`, 200]);

    const guides = await page.getByRole('link', { name: 'Guides' }).first().getAttribute('href');
    expect(guides).toContain('/tools/parley/docs/guides');
    await page.goto(`${proxy.url}/docs/guides`);
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.getByRole('heading', { name: 'Verify a request' }).waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.waitForURL(`${proxy.url}/docs/**`);
    await page.goto(`${proxy.url}/docs/guides/no-such-guide`);
    await page.getByRole('link', { name: 'See all guides' }).click();
    await page.waitForURL(`${proxy.url}/docs/guides`);
    expect(problems.foreign).toEqual([]);
    expect(proxy.strayed.filter((asked) => !asked.endsWith('/favicon.ico'))).toEqual([]);
    await page.close();
  });
});
