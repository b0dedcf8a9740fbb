import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { cleanUp } from '../kit/clean-up.ts';
import {
  findViolations,
  type LoggedIn,
  type TestConsole,
  useConsole,
  waitForShell,
  watchPage,
} from '../kit/console.ts';
import { row, useInbox, WAIT } from '../kit/inbox.ts';
import { PASSWORD } from '../kit/people.ts';
import { goTo } from './go-to.ts';

const ADMIN_TOKEN = 'operator-token-for-tests-0123456789abcdef';

/** The browser reports answers that are errors; here they are wanted. */
const REFUSED = /status of 40[13]/;

describe.runIf(CHROMIUM)('the frame of the console', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole({ PARLEY_ADMIN_TOKEN: ADMIN_TOKEN });
  });

  const call = async (path: string, token: string, body?: object) => {
    const response = await fetch(`${test.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: { id: string; token: string; url: string } }).data;
  };
  /** Creates a tenant and invites a person to it, who accepts on a page of their own. */
  async function joinTenant(page: Page, { email }: LoggedIn, name: string) {
    const { id } = await call('/admin/tenants', ADMIN_TOKEN, { name });
    const { token } = await call(`/admin/tenants/${id}/tokens`, ADMIN_TOKEN, { name: 'test', scopes: ['*'] });
    const user = await call('/v3/users', token, { name: 'Me there', email, role: 'viewer' });
    const { url } = await call(`/v3/users/${user.id}/invitation`, token);
    await page.goto(url.replace(/^.*\/console/, `${test.url}/console`));
    // The session of this browser proves who it is.
    await page.getByText(`You are invited to join ${name}`).waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: `Join ${name}` }).click();
    await waitForShell(page);
    return { token, userId: user.id };
  }

  it('switches between the tenants of a person, each tab for itself', async () => {
    const person = await test.createPerson('agent');
    const { page, open, context } = await test.pageOf(person);
    await joinTenant(page, person, 'Second shop');
    await open('/profile');
    await page.getByText('Role in Second shop: Viewer').waitFor();
    const other = await context.newPage();
    await other.goto(`${test.url}/console/profile`);
    await other.getByText('Role in Second shop: Viewer').waitFor();
    await page.getByRole('button', { name: 'Account and settings' }).first().click();
    await page.getByRole('menuitemradio', { name: 'demo' }).click();
    await open('/profile');
    await page.getByText('Role in demo: Agent').waitFor();
    await page.reload();
    await page.getByText('Role in demo: Agent').waitFor();
    await other.reload();
    await other.getByText('Role in Second shop: Viewer').waitFor();
  });

  it('nothing of a tenant stays when somebody switches, not even answers that come late', async () => {
    const inbox = await useInbox(test);
    const person = await test.createPerson('agent');
    const { page, open } = await test.pageOf(person);
    await joinTenant(page, person, 'Third shop');
    const switchTo = async (name: string) => {
      await page.getByRole('button', { name: 'Account and settings' }).first().click();
      await page.getByRole('menuitemradio', { name }).click();
      await expect.poll(() => page.title()).toMatch(`· ${name} ·`);
    };
    await switchTo('demo');
    await open('/inbox');
    const from = await inbox.write('Late Visitor', 'First words');
    await row(page, 'First words').waitFor(WAIT);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { id } = await inbox.chatWith('Late Visitor');
    await page.route(`**/v3/chats/${id}`, async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    const asked = page.waitForRequest(`**/v3/chats/${id}`);
    await inbox.write('Late Visitor', 'Second words', { from });
    await asked;
    await page.evaluate('window.isPageOfDemo = true');
    await switchTo('Third shop');
    await page.getByText('All done').waitFor(WAIT);
    release();
    expect(await page.evaluate('window.isPageOfDemo')).toBe(undefined);
    await page.unrouteAll({ behavior: 'wait' });
    expect(await page.getByText('Late Visitor').count()).toBe(0);
  });

  it('logging out that fails is said, and nobody is logged out by halves', async () => {
    const { page, open } = await test.pageFor('agent');
    await open('/profile');
    const logOut = async () => {
      await page.getByRole('button', { name: 'Account and settings' }).first().click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
    };
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.route('**/v3/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await logOut();
    await page.getByText('The server does not answer.').waitFor();
    await page.getByRole('heading', { name: 'Where you are logged in' }).waitFor();
    await page.unroute('**/v3/session');
    await logOut();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  it('who is removed from a tenant is led to the other one, and nothing of the first stays', async () => {
    const person = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.pageOf(person);
    const { token, userId } = await joinTenant(page, person, 'Lost & found');
    await call('/v3/contacts', token, {
      firstName: 'Secret',
      lastName: 'Person',
      email: 'secret@example.com',
    });
    await open('/contacts');
    await page.getByRole('link', { name: 'Secret Person' }).click();
    await page.getByRole('heading', { name: 'Secret Person' }).waitFor();
    await page.evaluate(
      `localStorage.setItem('parley.automation.' + sessionStorage['parley.tenantId'] + '.x', 'draft')`,
    );

    await fetch(`${test.url}/v3/users/${userId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    await page
      .getByText('You no longer belong to Lost & found. This is demo now.')
      .waitFor({ timeout: 30_000 });
    await page.waitForURL('**/console/inbox');
    expect(await page.title()).toMatch(/· demo ·/);
    expect(await page.getByText('Secret Person').count()).toBe(0);
    expect(
      await page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('automation'))`),
    ).toEqual([]);
    // It is said once.
    await page.reload();
    await waitForShell(page);
    expect(await page.getByText('You no longer belong').count()).toBe(0);
    await page.getByRole('button', { name: 'Account and settings' }).first().click();
    expect(await page.getByRole('menuitemradio', { name: 'Lost & found' }).count()).toBe(0);
    expectNoProblems(REFUSED);
  });

  it('who is removed from the only tenant reads so, and whom to ask', async () => {
    const person = await test.createPerson('agent');
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/contacts');
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    await test.api('DELETE', `/v3/users/${person.userId}`);
    await page
      .getByRole('heading', { name: 'You are not a member of any tenant' })
      .waitFor({ timeout: 30_000 });
    await page.getByText(`Ask an admin to invite you with the address ${person.email}.`).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expectNoProblems(REFUSED);
  });

  it('when somebody else has logged in in another tab, the page is theirs', async () => {
    const [person, other] = [await test.createPerson('agent'), await test.createPerson('viewer')];
    const { page, context, open, expectNoProblems } = await test.pageOf(person);
    await open('/contacts');
    await page.getByRole('button', { name: 'New contact' }).click();
    await page.getByRole('dialog').getByLabel('First name').fill('Nobody');
    await context.addCookies([{ name: 'parley', value: other.cookie, url: test.url, httpOnly: true }]);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/console/inbox');
    await open('/profile');
    await page.getByText('Role in demo: Viewer').waitFor();
    expect(await page.getByText('You no longer belong').count()).toBe(0);
    expectNoProblems(REFUSED);
  });

  it('a tab follows at once when somebody else logs in in another one', async () => {
    const [person, other] = [await test.createPerson('agent'), await test.createPerson('viewer')];
    const { page, context, open } = await test.pageOf(person);
    await open('/profile');
    await page.getByText('Role in demo: Agent').waitFor();
    const second = await context.newPage();
    await second.goto(`${test.url}/console/login`);
    await second.getByLabel('Email').fill(other.email);
    await second.getByLabel('Password').fill(PASSWORD);
    await second.keyboard.press('Enter');
    await waitForShell(second);
    await page.waitForURL('**/console/inbox');
    await open('/profile');
    await page.getByText('Role in demo: Viewer').waitFor();
  });

  it('finds screens and actions by typing, and goes there by keys alone', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/no/such/screen');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('acc');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/profile');
    await open('/no/such/screen');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await goTo(page, 'u');
    await page.waitForURL('**/console/profile');
    // While somebody types, letters are letters.
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('?g');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('heading', { name: 'Your account' }).click();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Go to Your account').waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('<img src=x onerror=alert(1)>');
    await page.getByText('Nothing matches "<img src=x').waitFor();
    expectNoProblems();
  });

  it('speaks German, and is dark if one wants it, also after a reload', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent', { colorScheme: 'light' });
    await open('/profile');
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.getByLabel('Appearance').selectOption('dark');
    await expect.poll(background).toBe('rgb(22, 24, 29)');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Ihr Konto' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Ihr Konto' }).waitFor();
    expect(await page.evaluate<string>('document.documentElement.lang')).toBe('de');
    expect(await background()).toBe('rgb(22, 24, 29)');
    // What the server refuses is said in German, too.
    await page.getByLabel('Jetziges Passwort').fill(PASSWORD);
    await page.getByLabel('Neues Passwort').fill('password12');
    await page.getByRole('button', { name: 'Passwort ändern' }).click();
    await page.getByText('Dieses Passwort probieren Angreifer als eines der ersten').waitFor();
    expectNoProblems(/status of 400/);
    const german = await test.newPage({ locale: 'de-AT' });
    await german.open('/login');
    await german.page.getByRole('heading', { name: 'Anmelden' }).waitFor();
  });

  it('says that it is offline', async () => {
    const { page, context, open } = await test.pageFor('agent');
    await open('/profile');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
  });

  it('offers a reload when the server has a new version, and when a part of the old one is gone', async () => {
    const { page, open } = await test.pageFor('agent');
    await page.route('**/console/version.json', (route) => route.fulfill({ json: { build: 'main.NEW.js' } }));
    await open('/profile');
    await page.getByText('There is a new version of the console.').waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
    await page.route('**/assets/profile.*', (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: 'This screen has a problem' }).waitFor();
    await page.unroute('**/assets/profile.*');
    await page.getByRole('button', { name: 'Reload' }).last().click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  });

  it('works behind a reverse proxy under a path', async () => {
    const port = await findFreePort();
    const proxyUrl = await startProxy('/help/desk', `http://127.0.0.1:${port}`);
    const behind = await useConsole({ PARLEY_BASE_URL: proxyUrl, PORT: String(port) });
    expect(behind.firstLink).toContain(`${proxyUrl}/console/welcome#`);
    const page = await (await test.browser.newContext({ locale: 'en-GB' })).newPage();
    const problems = await watchPage(page, proxyUrl);
    await page.goto(proxyUrl);
    await page.waitForURL(`${proxyUrl}/console/login**`);
    await page.goto(behind.firstLink);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await waitForShell(page);
    await page.goto(`${proxyUrl}/console/profile`);
    await page.getByRole('heading', { name: 'Where you are logged in' }).waitFor();
    expect(problems).toMatchObject({ csp: [], foreign: [] });
    await page.context().close();
  });
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A reverse proxy that removes a path, as most are configured. Returns its URL. */
async function startProxy(path: string, target: string): Promise<string> {
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(path)) return void response.writeHead(404).end();
    const forwarded = send(
      `${target}${request.url.slice(path.length) || '/'}`,
      { method: request.method ?? 'GET', headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server)}${path}`;
}
