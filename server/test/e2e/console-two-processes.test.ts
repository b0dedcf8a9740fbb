import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { CHROMIUM } from '../kit/browser.ts';
import { cleanUp } from '../kit/clean-up.ts';
import { type LoggedIn, type TestConsole, useConsole, watchPage } from '../kit/console.ts';
import { reply, row, type TestInbox, thread, title, useInbox, WAIT } from '../kit/inbox.ts';
import { urlOf } from '../kit/postgres.ts';
import { type Program, useProgram } from '../kit/program.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

const looking = (page: Page, name: string) =>
  page.getByRole('status').filter({ hasText: `Also looking at this chat: ${name}` });

/** A PostgreSQL that the operator runs. */
async function usePostgres(): Promise<string> {
  const { superuser, stop } = await startEmbedded({ dataDir: await useTempFolder() });
  cleanUp(stop);
  return urlOf(superuser, superuser.database);
}

describe.runIf(CHROMIUM)('the console of two processes on one PostgreSQL', () => {
  let test: TestConsole;
  let other: Program;
  let inbox: TestInbox;
  beforeAll(async () => {
    const env = {
      DATABASE_URL: await usePostgres(),
      PARLEY_SECRET_KEY: 'secret-key-for-two-processes-0123456789',
    };
    test = await useConsole(env);
    other = await useProgram(env);
    inbox = await useInbox(test);
  });

  /** A page of somebody who has logged in at the first process, served by one of them. */
  async function openAt({ url }: Pick<Program, 'url'>, person: LoggedIn, address: string) {
    const { context } = await test.pageOf(person);
    const page = await context.newPage();
    const problems = await watchPage(page, url);
    await page.goto(`${url}/console${address}`);
    return { page, problems };
  }

  it('two colleagues see each other across processes, and a third, restricted to a team, sees nothing of it', async () => {
    const elsewhere = await inbox.createChannel('Elsewhere', '+12025550177');
    await inbox.write('Barbara Liskov', 'Can I substitute it?');
    const { id } = await inbox.chatWith('Barbara Liskov');
    const restricted = await test.createPerson('agent', { name: 'Third Person' });
    await test.api('PUT', `/v3/users/${restricted.userId}`, { access: 'teams' });
    const team = { name: 'Elsewhere', userIds: [restricted.userId], channelIds: [elsewhere] };
    await test.api('POST', '/v3/teams', team);

    const grace = await test.createPerson('agent', { name: 'Grace First' });
    const alan = await test.createPerson('agent', { name: 'Alan Second' });
    const first = await openAt(test, grace, `/inbox/${id}`);
    const second = await openAt(other, alan, `/inbox/${id}`);
    const third = await openAt(other, restricted, '/inbox');
    await title(first.page, 'Barbara Liskov').waitFor(WAIT);
    await title(second.page, 'Barbara Liskov').waitFor(WAIT);
    await looking(first.page, 'Alan Second').waitFor(WAIT);
    await looking(second.page, 'Grace First').waitFor(WAIT);

    await reply(first.page).pressSequentially('Only if it behaves');
    await second.page.getByText('Typing: Grace First').waitFor(WAIT);
    await first.page.keyboard.press('Control+Enter');
    await thread(second.page).getByText('Only if it behaves').waitFor(WAIT);
    await second.page.keyboard.press('n');
    await second.page.keyboard.type('She is right.');
    await second.page.keyboard.press('Control+Enter');
    await thread(first.page).getByText('She is right.').waitFor(WAIT);

    // What the third one sees last is what comes last.
    await inbox.write('Visible Person', 'Hello', { channelId: elsewhere });
    await row(third.page, 'Visible Person').waitFor(WAIT);
    expect(await third.page.content()).not.toMatch(/Barbara|Only if it behaves|She is right|Grace First/);
    for (const { problems } of [first, second, third])
      expect(problems).toEqual({ csp: [], errors: [], foreign: [] });
  });

  it('somebody who is removed from the tenant sees nothing of it within seconds, at the other process too', async () => {
    const person = await test.createPerson('agent');
    const { page } = await openAt(other, person, '/inbox');
    await row(page, 'Barbara Liskov').waitFor(WAIT);
    await test.api('DELETE', `/v3/users/${person.userId}`);
    await page.getByRole('heading', { name: 'You are not a member of any tenant' }).waitFor(WAIT);
    expect(await page.content()).not.toContain('Barbara');
  });
});
