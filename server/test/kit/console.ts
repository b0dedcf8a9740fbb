import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Role } from '../../src/users/roles.ts';
import { useBrowser } from './browser.ts';
import { cleanUp } from './clean-up.ts';
import { PASSWORD } from './people.ts';
import { type Program, useProgram } from './program.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What must not happen on any page of the console. */
interface Problems {
  /** Violations of the content security policy. */
  csp: string[];
  /** Errors and warnings in the console of the browser, and exceptions. */
  errors: string[];
  /** Requests to other servers. */
  foreign: string[];
}

export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** Opens an address below `/console`. */
  open(address: string): Promise<void>;
  /** Fails if the browser has reported anything. `allowed` are errors that the test causes. */
  expectNoProblems(allowed?: RegExp): void;
}

export interface LoggedIn {
  userId: string;
  email: string;
  /** The value of the session's cookie. */
  cookie: string;
}

export interface TestConsole {
  program: Program;
  /** Of the server as browsers see it. */
  url: string;
  browser: Browser;
  /** The tenant "demo" that the first start has created. */
  tenantId: string;
  /** Its first channel, which is of the sandbox. */
  channelId: string;
  /** Calls the API with a token that may do everything, and returns the data. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  api(method: string, path: string, body?: unknown): Promise<any>;
  /** The link that the first start has printed. */
  firstLink: string;
  /** Creates somebody with a role, who accepts the invitation. */
  createPerson(role: Role, options?: { name?: string }): Promise<LoggedIn>;
  /** A page of a browser that nobody has used before. */
  newPage(options?: BrowserContextOptions): Promise<ConsolePage>;
  /** A page of somebody who has logged in. */
  pageOf(person: LoggedIn, options?: BrowserContextOptions): Promise<ConsolePage>;
  /** A page of somebody new with a role. */
  pageFor(role: Role, options?: BrowserContextOptions): Promise<ConsolePage>;
}

let created = 0;

/** Starts the program with its demo tenant, and a browser. */
export async function useConsole(env: Record<string, string> = {}): Promise<TestConsole> {
  const program = await useProgram(env);
  const browser = await useBrowser();
  const url = program.url;
  const token = /^TOKEN=(\S+)$/m.exec(program.output())?.[1] as string;
  const firstLink = /Console\s+(\S+)/.exec(program.output())?.[1] as string;

  const send = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
    fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const api: TestConsole['api'] = async (method, path, body) => {
    const response = await send(method, path, body, { authorization: `Bearer ${token}` });
    const text = await response.text();
    expect(response.status, `${method} ${path}: ${text}`).toBe(200);
    return JSON.parse(text).data;
  };
  const { tenant } = await api('GET', '/v3/me');

  async function createPerson(role: Role, { name }: { name?: string } = {}): Promise<LoggedIn> {
    created += 1;
    const email = `person${created}@example.com`;
    const user = await api('POST', '/v3/users', { name: name ?? `Person ${created}`, email, role });
    const link = await api('POST', `/v3/users/${user.id}/invitation`);
    const redeemed = await send(
      'POST',
      '/v3/session/link',
      { token: link.url.split('#')[1], password: PASSWORD },
      {},
    );
    expect(redeemed.status).toBe(200);
    const cookie = /parley=([^;]+)/.exec(redeemed.headers.get('set-cookie') ?? '')?.[1] as string;
    return { userId: user.id, email, cookie };
  }

  async function newPage(options: BrowserContextOptions = {}): Promise<ConsolePage> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    cleanUp(async () => {
      // A request that a test still holds when it ends is no failure.
      for (const one of context.pages()) await one.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    });
    const page = await context.newPage();
    const problems = await watchPage(page, url);
    return {
      page,
      context,
      open: async (address) => void (await page.goto(`${url}/console${address}`)),
      expectNoProblems(allowed) {
        const errors = problems.errors.filter((text) => !allowed?.test(text));
        expect({ ...problems, errors }).toEqual({ csp: [], errors: [], foreign: [] });
      },
    };
  }
  async function pageOf({ cookie }: LoggedIn, options?: BrowserContextOptions): Promise<ConsolePage> {
    const made = await newPage(options);
    await made.context.addCookies([{ name: 'parley', value: cookie, url, httpOnly: true, sameSite: 'Lax' }]);
    return made;
  }
  return {
    program,
    url,
    browser,
    tenantId: tenant.id,
    channelId: /\/sandbox\/([\w-]+)\/inbound/.exec(program.output())?.[1] as string,
    api,
    firstLink,
    createPerson,
    newPage,
    pageOf,
    pageFor: async (role, options) => pageOf(await createPerson(role), options),
  };
}

/** Collects what the browser reports about a page. */
export async function watchPage(page: Page, url: string): Promise<Problems> {
  const problems: Problems = { csp: [], errors: [], foreign: [] };
  await page.exposeFunction('reportViolation', (text: string) => void problems.csp.push(text));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile))`);
  page.on('console', (message) => {
    if (/^(error|warning)$/.test(message.type())) problems.errors.push(message.text());
  });
  page.on('pageerror', (error) => problems.errors.push(String(error)));
  page.on('request', (request) => {
    const requested = request.url();
    if (!requested.startsWith(url) && !/^(data|blob):/.test(requested)) problems.foreign.push(requested);
  });
  return problems;
}

/** Waits until somebody is logged in, whatever screen comes first. */
export const waitForShell = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Account and settings' }).filter({ visible: true }).waitFor();

/** What axe finds on a page, at the levels A and AA. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  // In the middle of a transition a colour may have too little contrast.
  await page.evaluate(`for (const one of document.getAnimations())
    if (Number.isFinite(one.effect.getComputedTiming().endTime)) one.finish()`);
  return page.evaluate<string[]>(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);
}
