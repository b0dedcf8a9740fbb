import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';

describe.runIf(CHROMIUM)('business hours in the console', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });
  const stored = async () =>
    (await test.api('GET', '/v3/tenant')) as { businessHours: object; quietHours: object };

  it('are set with the mouse: what they mean now, a second time of a day, a holiday, quiet hours', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/settings/hours');
    await page.getByText('Open now').waitFor();
    await page.getByLabel('Open', { exact: true }).selectOption('week');
    const monday = page.getByRole('group', { name: 'Monday' });
    await monday.getByLabel('Monday until').fill('12:00');
    await monday.getByRole('button', { name: 'Add hours to Monday' }).click();
    await page.getByRole('button', { name: 'Use Monday for all working days' }).click();
    await page.getByRole('button', { name: 'Add a date' }).click();
    await page.locator('input[type=date]').fill('2030-12-25');
    await page.getByLabel('Time zone').first().fill('Europe/Berlin');
    await page.getByLabel('Quiet hours').selectOption('daily');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const day = [
      ['09:00', '12:00'],
      ['13:00', '17:00'],
    ];
    expect(await stored()).toMatchObject({
      businessHours: { timezone: 'Europe/Berlin', mon: day, fri: day, closedOn: ['2030-12-25'] },
      quietHours: { from: '21:00', to: '08:00' },
    });
    await monday.getByLabel('Monday from').nth(1).fill('11:00');
    await page.getByText('Overlaps with 09:00–12:00').waitFor();
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        expect(await findViolations(page)).toEqual([]);
      }
    // The server says what is wrong while it is edited.
    expectNoProblems(/400/);
  });

  it('are changed by keyboard alone', async () => {
    await test.api('PUT', '/v3/tenant', { businessHours: { mon: [['09:00', '17:00']] }, quietHours: null });
    const { page, open, expectNoProblems } = await test.pageFor('owner');
    await open('/settings/hours');
    await page.getByRole('button', { name: 'Add hours to Sunday' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.getByLabel('Sunday from').focus();
    await page.keyboard.type('1030');
    await page.getByLabel('Sunday until').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await stored()).businessHours).toMatchObject({ sun: [['10:30', '17:00']] });
    expectNoProblems();
  });

  it('of a channel differ from those of the tenant, and an agent who looks at them changes nothing', async () => {
    const channel = (await test.api('POST', '/v3/channels', {
      kind: 'sms',
      provider: 'sandbox',
      name: 'Hotline',
      address: '+15550007777',
    })) as { id: string };
    const { page, open, expectNoProblems } = await test.pageFor('admin');
    await open(`/channels/${channel.id}`);
    await page.getByLabel('Open', { exact: true }).selectOption('always');
    await page.getByLabel('Quiet hours').selectOption('none');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const changed = await test.api('GET', `/v3/channels/${channel.id}`);
    expect(changed).toMatchObject({
      businessHours: { sun: [['00:00', '24:00']] },
      quietHours: { isOff: true },
    });
    expectNoProblems();

    const agent = await test.pageFor('agent');
    await agent.open('/settings/hours');
    await agent.page.getByText('Only owners change this.').waitFor();
    expect(await agent.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await agent.open('/profile');
    const away = agent.page.getByLabel('I am away');
    await away.check();
    await agent.page.getByText('Saved', { exact: true }).waitFor();
    const isAwayAfterClick = await away.evaluate((element) => {
      const box = element as unknown as { click(): void; checked: boolean };
      box.click();
      return box.checked;
    });
    expect(isAwayAfterClick, 'the choice is shown before anything is sent').toBe(false);
    const users = () => test.api('POST', '/v3/users/search', { query: 'eq(isAway,true)' });
    await expect.poll(users).toEqual([]);
    agent.expectNoProblems();
  });
});
