import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { findViolations, type TestConsole, useConsole } from '../kit/console.ts';
import { row, rows, type TestInbox, thread, title, useInbox, view, WAIT } from '../kit/inbox.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

/** Texts that break out of careless pages. */
const HOSTILE = [
  `<img src=x onerror="window.broken=1">`,
  `<script>window.broken=1</script>`,
  `"><svg/onload=window.broken=1>`,
  `javascript:window.broken=1`,
  `{{7*7}}\${7*7}`,
  `‮ right to left ⁦`,
  `Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤`,
];

describe.runIf(CHROMIUM)('the inbox', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });
  const write: TestInbox['write'] = (...given) => inbox.write(...given);
  const outbox = (): Promise<string> => inbox.outbox();
  const findChat = async (search: string) => (await test.api('POST', '/v3/chats/search', { search }))[0];

  it('lists chats, opens one, and sends a reply that arrives', async () => {
    await write('Grace Hopper', 'Is the compiler ready?');
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/');
    await row(page, 'Grace Hopper').click();
    await title(page, 'Grace Hopper').waitFor();
    await thread(page).getByText('Is the compiler ready?').waitFor();
    await expect.poll(() => row(page, 'Grace Hopper').getByText('Waiting').count(), WAIT).toBe(1);
    await page.getByRole('textbox', { name: 'Reply' }).fill('Yes, since this morning.');
    await page.getByRole('button', { name: 'Send' }).click();
    await thread(page).getByText('Yes, since this morning.').waitFor();
    await expect.poll(outbox, WAIT).toContain('Yes, since this morning.');
    await thread(page)
      .getByText(/Delivered|Read/)
      .first()
      .waitFor();
    await expect.poll(() => row(page, 'Grace Hopper').getByText('Waiting').count(), WAIT).toBe(0);
    expect((await findChat('Grace Hopper')).isUnread).toBe(false);
    expect(await findViolations(page)).toEqual([]);
    expectNoProblems();
  });

  it('works by keyboard alone: open, note, assign, snooze, close, undo, search', async () => {
    await write('Katherine Johnson', 'Which orbit?');
    const person = await test.createPerson('agent', { name: 'Dorothy Vaughan' });
    const { page, open, expectNoProblems } = await test.pageOf(person);
    await open('/inbox');
    await row(page, 'Katherine Johnson').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('katherine');
    await expect.poll(() => rows(page).count(), WAIT).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await title(page, 'Katherine Johnson').waitFor();

    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Note' }).waitFor();
    await page.keyboard.type('Ask ');
    await page.keyboard.press('@');
    await page.keyboard.type('dorothy');
    await page.getByRole('option', { name: /Dorothy Vaughan/ }).waitFor(WAIT);
    await page.keyboard.press('Enter');
    await page.keyboard.type('about it');
    await page.keyboard.press('Control+Enter');
    await thread(page).getByText('Ask @Dorothy Vaughan about it').waitFor();
    const chat = await findChat('Katherine Johnson');
    const [note] = await test.api('POST', `/v3/chats/${chat.id}/notes/search`, {});
    expect(note.mentionedUserIds).toEqual([person.userId]);
    expect(await outbox()).not.toContain('about it');

    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.keyboard.type('dorothy');
    await page.getByRole('option', { name: /Dorothy Vaughan/ }).waitFor(WAIT);
    await page.keyboard.press('Enter');
    await page.getByText('Assigned to Dorothy Vaughan').waitFor();
    await page.getByText('A person has this chat').waitFor();
    expect((await findChat('Katherine Johnson')).assignedUserId).toBe(person.userId);

    await page.keyboard.press('h');
    await page.keyboard.type('tomorrow');
    await page.keyboard.press('Enter');
    await page.getByText('Snoozed until').waitFor();
    await expect.poll(async () => (await findChat('Katherine Johnson')).status, WAIT).toBe('snoozed');
    await page.keyboard.press('e');
    await expect.poll(async () => (await findChat('Katherine Johnson')).status, WAIT).toBe('open');
    await page.getByText('Chat opened').waitFor(WAIT);
    await page.keyboard.press('e');
    await expect.poll(async () => (await findChat('Katherine Johnson')).status, WAIT).toBe('closed');
    await page.getByText('Chat closed').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().press('Enter');
    await expect.poll(async () => (await findChat('Katherine Johnson')).status, WAIT).toBe('open');

    await page.keyboard.press('u');
    await expect.poll(async () => (await findChat('Katherine Johnson')).isUnread, WAIT).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).pathname, WAIT).toBe('/console/inbox');
    const id = (await findChat('Katherine Johnson')).id;
    await expect.poll(() => page.evaluate<string>('document.activeElement.id'), WAIT).toBe(`chat-${id}`);
    await expect.poll(() => view(page, 'Mine').textContent(), WAIT).toContain('1');
    expectNoProblems();
  });

  it('shows what happens elsewhere: a new customer, and the reply and note of a colleague', async () => {
    const from = await write('Hedy Lamarr', 'Do you hop frequencies?');
    const first = await test.pageFor('agent');
    const second = await test.pageFor('agent');
    for (const { page, open } of [first, second]) {
      await open('/inbox');
      await row(page, 'Hedy Lamarr').click();
      await thread(page).getByText('Do you hop frequencies?').waitFor();
    }
    await first.page.getByRole('textbox', { name: 'Reply' }).fill('All day long.');
    await first.page.keyboard.press('Control+Enter');
    await thread(second.page).getByText('All day long.').waitFor(WAIT);
    await second.page.keyboard.press('n');
    await second.page.getByRole('textbox', { name: 'Note' }).fill('She knows radios.');
    await second.page.keyboard.press('Control+Enter');
    await thread(first.page).getByText('She knows radios.').waitFor(WAIT);
    await write('Hedy Lamarr', 'Wonderful!', { from });
    await thread(first.page).getByText('Wonderful!').waitFor(WAIT);
    await write('Mary Jackson', 'A new person');
    await row(first.page, 'Mary Jackson').waitFor(WAIT);
    await expect.poll(() => rows(first.page).first().textContent(), WAIT).toContain('Mary Jackson');
    first.expectNoProblems();
    second.expectNoProblems();
  });

  it('runs nothing that names, texts, notes and file names contain', async () => {
    const from = await write(HOSTILE[0] as string, HOSTILE[1] as string);
    for (const text of HOSTILE) await write(HOSTILE[0] as string, text, { from });
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox');
    await row(page, HOSTILE[0] as string)
      .first()
      .click();
    for (const text of HOSTILE) await thread(page).getByText(text).first().waitFor();
    await page.getByRole('button', { name: 'Contact' }).click();
    await page.getByRole('complementary', { name: 'Contact' }).waitFor();
    const file = join(await useTempFolder(), `"><img src=x onerror=window.broken=1>.txt`);
    await writeFile(file, 'Hello');
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Send' }).click();
    await thread(page).locator('a[download]').waitFor(WAIT);
    const path = (await thread(page).locator('a[download]').getAttribute('href')) as string;
    expect(path).toMatch(/^\/v3\/files\//);
    expect((await page.request.get(`${test.url}${path}`)).status()).toBe(200);
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Note' }).fill(HOSTILE.join('\n'));
    await page.keyboard.press('Control+Enter');
    await thread(page).getByText('Note by').waitFor();
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expectNoProblems();
  });

  it('keeps chats of other channels from somebody who is restricted to a team', async () => {
    const other = await inbox.createChannel('Other', '+12025550199');
    const agent = await test.createPerson('agent', { name: 'Restricted' });
    await test.api('PUT', `/v3/users/${agent.userId}`, { access: 'teams' });
    await test.api('POST', '/v3/teams', { name: 'Others', userIds: [agent.userId], channelIds: [other] });
    await write('Secret Person', 'Nobody else may read this');
    await write('Visible Person', 'Hello', { channelId: other });
    await expect.poll(() => findChat('Secret Person'), WAIT).toBeDefined();
    const hidden = await findChat('Secret Person');
    const { page, open } = await test.pageOf(agent);
    await open('/inbox');
    await row(page, 'Visible Person').waitFor(WAIT);
    expect(await rows(page).count()).toBe(1);
    await write('Another Secret', 'Live');
    await write('Another Visible', 'Live', { channelId: other });
    await row(page, 'Another Visible').waitFor(WAIT);
    expect(await row(page, 'Secret').count()).toBe(0);
    await open(`/inbox/${hidden.id}`);
    await page.getByRole('heading', { name: 'This chat is not here' }).waitFor();
    expect(await page.content()).not.toContain('Nobody else may read this');
  });

  it('shows one pane at a time on a phone, and Back returns to the list', async () => {
    await write('Radia Perlman', 'Spanning trees?');
    const { page, open, expectNoProblems } = await test.pageFor('agent', {
      viewport: { width: 360, height: 740 },
    });
    await open('/inbox');
    await row(page, 'Radia Perlman').click();
    await thread(page).getByText('Spanning trees?').waitFor();
    expect(await row(page, 'Radia Perlman').isVisible()).toBe(false);
    await page.goBack();
    await row(page, 'Radia Perlman').waitFor();
    expect(await thread(page).count()).toBe(0);
    expectNoProblems();
  });

  it('offers a viewer nothing that changes', async () => {
    await write('Joan Clarke', 'Just looking');
    const { page, open, expectNoProblems } = await test.pageFor('viewer');
    await open('/inbox');
    await row(page, 'Joan Clarke').click();
    await thread(page).getByText('Just looking').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Assign' }).count()).toBe(0);
    expect((await findChat('Joan Clarke')).isUnread).toBe(true);
    expectNoProblems();
  });
});
