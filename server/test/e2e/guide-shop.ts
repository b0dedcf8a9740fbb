import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { ADMIN_TOKEN, createConsoleTenant } from '../kit/console-tenant.ts';
import { readGuide, readTemplate } from '../kit/guides.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { node } from './automation-page.ts';
import { buildByClicks } from './build-guide.ts';
import { onPhone, phone, say, WAIT } from './phone-page.ts';

export const CUSTOMER = 'Ada Lovelace';
export const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';

export interface GuideConsole {
  test: TestConsole;
  /** The shop's own server, and what it was asked. */
  shopUrl: string;
  requests: string[];
}

/** The program, and the server of a shop that automations call. */
export async function useGuideConsole(): Promise<GuideConsole> {
  const requests: string[] = [];
  const { url } = await useHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    request.resume();
    response.end('{}');
  });
  const test = await useConsole({
    PARLEY_ADMIN_TOKEN: ADMIN_TOKEN,
    PARLEY_OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  });
  return { test, shopUrl: url, requests };
}

/** A shop with a clock of its own, and everything that an automation of the guides refers to by a name in capitals. */
export async function openShop(
  { test, shopUrl, requests }: GuideConsole,
  title: string,
  options: BrowserContextOptions = { viewport: { width: 1360, height: 900 } },
) {
  const tenant = await createConsoleTenant(test, { name: `${title} shop`, isTest: true }, options);
  const { page, open, api } = tenant;
  const names = new Map<unknown, string>();
  const create = async (
    path: string,
    body: { name: string; [more: string]: unknown },
    name = body.name,
  ): Promise<string> => {
    const { id } = await api('POST', `/v3/${path}`, body);
    names.set(id, name);
    return id;
  };
  const channelId = await create('channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Shop',
    address: '+12025550140',
  });
  const ids: Record<string, string> = {
    CHANNEL_ID: channelId,
    WHATSAPP_ID: channelId,
    APPOINTMENTS_URL: shopUrl,
    TEAM_ID: await create('teams', { name: 'Sellers', userIds: [] }),
  };
  for (const label of ['Order', 'Sale', 'Cart'])
    ids[`${label.toUpperCase()}_LABEL_ID`] = await create('labels', { name: label });
  const template = readTemplate(title);
  if (template) {
    const shownName = `${template.name} (${template.language}) · Shop`;
    ids.TEMPLATE_ID = await create('message_templates', { ...template, channelId }, shownName);
    await api('POST', '/v3/clock/advance', { by: 'PT1M' });
  }
  await api('PUT', '/v3/secrets/appointmentsKey', { value: SECRET });
  const [firstName, lastName] = CUSTOMER.split(' ');
  const contact = await api('POST', '/v3/contacts', { firstName, lastName, phoneNumber: '+12025550141' });
  const guide = readGuide(title, ids);
  requests.length = 0;

  return {
    ...tenant,
    guide,
    ids,
    contactId: contact.id as string,
    /** Builds it with clicks, and compares it with what the API makes of the JSON of the guide. */
    async build(): Promise<string> {
      await open('/automations');
      const id = await buildByClicks(page, guide, (one) => names.get(one) ?? String(one));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('is saved, not published').waitFor();
      await expect.poll(() => page.getByRole('button', { name: /\d problems?$/ }).count()).toBe(0);
      const { latestVersion: expected } = await api('POST', '/v3/automations', guide);
      const { latestVersion: built } = await api('GET', `/v3/automations/${id}`);
      const { trigger, variables, purpose, steps } = expected;
      expect(built).toMatchObject({ trigger, variables, purpose });
      expect(built.steps).toEqual(steps);
      return id;
    },
    /** Opens *Try*, types what is given, and checks what would be said and which ways would be taken. */
    async tryIt(typed: Record<string, string>, texts: readonly string[], ways: readonly string[]) {
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      const form = page.getByRole('form', { name: 'Try it' });
      await form.getByLabel('For whom').fill('Ada');
      await form.getByRole('button', { name: /^Ada/ }).click();
      for (const [label, text] of Object.entries(typed)) {
        const input = form.getByLabel(label, { exact: true });
        if ((await input.count()) === 0) await form.getByRole('button', { name: 'Add a reply' }).click();
        await input.fill(text);
      }
      await form.getByRole('button', { name: 'Try it' }).click();
      await page.getByText('The run would be completed.').waitFor(WAIT);
      const steps = page.getByRole('list', { name: 'Steps' });
      for (const text of texts) await steps.getByText(text).first().waitFor();
      expect(await takenWays(page)).toEqual(new Set(ways));
      expect([await api('POST', '/v3/automation_runs/search', {}), requests]).toEqual([[], []]);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
    },
    /** The customer has the phone beside the inbox. */
    async takePhone() {
      await open('/inbox');
      await page.getByRole('heading').first().waitFor();
      await page.keyboard.press('p');
      await phone(page)
        .getByRole('button', { name: new RegExp(CUSTOMER) })
        .click();
    },
    /** Moves the clock of the shop with a button of the phone. */
    async letPass(step: '+ 1 hour' | '+ 1 day') {
      await phone(page).getByRole('button', { name: 'Failures and time' }).click();
      const moved = page.waitForResponse((response) => response.url().endsWith('/v3/clock/advance'));
      await phone(page).getByRole('button', { name: step }).click();
      await moved;
      await phone(page).getByRole('button', { name: 'Back to the phone' }).click();
    },
    /** The customer writes, and it has arrived. */
    async writes(text: string) {
      await say(page, text);
      const bubble = onPhone(page).locator('[data-message]').filter({ hasText: text });
      await bubble.getByText('✓✓ Arrived').waitFor(WAIT);
    },
    hears: (text: string | RegExp) => onPhone(page).getByText(text).waitFor(WAIT),
    /** Opens the run with a status, and checks its picture: what became of which steps, and the ways that it took. */
    async openRun(
      automationId: string,
      status: string,
      steps: Readonly<Record<string, string>>,
      ways: readonly string[],
    ) {
      await open(`/automations/${automationId}/runs`);
      const row = page.getByRole('row').filter({ hasText: status });
      await row.getByRole('link', { name: CUSTOMER }).click(WAIT);
      await page.getByRole('heading', { name: `Run for ${CUSTOMER}` }).waitFor();
      for (const [step, state] of Object.entries(steps))
        await node(page, step)
          .getByText(state, { exact: true })
          .waitFor({ state: 'attached', ...WAIT });
      expect(await paintedSteps(page)).toEqual(new Set(['$trigger', ...Object.keys(steps)]));
      expect(await takenWays(page)).toEqual(new Set(ways));
    },
  };
}

export const done = (...steps: string[]): Record<string, string> =>
  Object.fromEntries(steps.map((step) => [step, 'done']));

const takenWays = async (page: Page): Promise<Set<string>> =>
  new Set(
    await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-taken]')].map(({ dataset }) => dataset.taken)`,
    ),
  );
const paintedSteps = async (page: Page): Promise<Set<string>> =>
  new Set(
    await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-item][data-state]')].map(({ dataset }) => dataset.item)`,
    ),
  );
