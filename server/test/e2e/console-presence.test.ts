import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { reply, row, type TestInbox, thread, title, useInbox, WAIT } from '../kit/inbox.ts';

const looking = (page: Page, name: string) =>
  page.getByRole('status').filter({ hasText: `Also looking at this chat: ${name}` });
const typing = (page: Page, name: string) => page.getByText(`Typing: ${name}`);

describe.runIf(CHROMIUM)('colleagues in one inbox', () => {
  let test: TestConsole;
  let inbox: TestInbox;
  beforeAll(async () => {
    test = await useConsole();
    inbox = await useInbox(test);
  });

  it('two see each other, their replies and notes live; a third, restricted to a team, sees nothing', async () => {
    const other = await inbox.createChannel('Other', '+12025550155');
    await inbox.write('Barbara Liskov', 'Can I substitute it?');
    await inbox.write('Visible Person', 'Hello', { channelId: other });
    const { id } = await inbox.chatWith('Barbara Liskov');
    await inbox.chatWith('Visible Person');
    const restricted = await test.createPerson('agent', { name: 'Third Person' });
    await test.api('PUT', `/v3/users/${restricted.userId}`, { access: 'teams' });
    await test.api('POST', '/v3/teams', {
      name: 'Others',
      userIds: [restricted.userId],
      channelIds: [other],
    });
    const first = await test.pageOf(await test.createPerson('agent', { name: 'Grace First' }));
    const second = await test.pageOf(await test.createPerson('agent', { name: 'Alan Second' }));
    const third = await test.pageOf(restricted);
    // Every event of its stream passes through here, on the way to other tabs.
    await third.page.addInitScript(`window.heard = [];
      const send = BroadcastChannel.prototype.postMessage;
      BroadcastChannel.prototype.postMessage = function (message) {
        heard.push(JSON.stringify(message));
        return send.call(this, message);
      };`);
    await third.open('/inbox');
    await row(third.page, 'Visible Person').waitFor(WAIT);

    await first.open(`/inbox/${id}`);
    await title(first.page, 'Barbara Liskov').waitFor();
    await second.open(`/inbox/${id}`);
    await title(second.page, 'Barbara Liskov').waitFor();
    await looking(first.page, 'Alan Second').waitFor(WAIT);
    await looking(second.page, 'Grace First').waitFor(WAIT);

    await reply(first.page).pressSequentially('Only if it behaves');
    await typing(second.page, 'Grace First').waitFor(WAIT);
    await first.page.keyboard.press('Control+Enter');
    await thread(second.page).getByText('Only if it behaves').waitFor(WAIT);
    await typing(second.page, 'Grace First').waitFor({ state: 'detached', ...WAIT });
    expect(await thread(first.page).getByText('Only if it behaves').count()).toBe(1);

    await second.page.keyboard.press('n');
    await second.page.keyboard.type('She is right.');
    await second.page.keyboard.press('Control+Enter');
    await thread(first.page).getByText('She is right.').waitFor(WAIT);

    // Somebody who leaves is gone at once.
    await second.page.keyboard.press('Escape');
    await second.page.keyboard.press('Escape');
    await expect.poll(() => new URL(second.page.url()).pathname, WAIT).toBe('/console/inbox');
    await looking(first.page, 'Alan Second').waitFor({ state: 'detached', ...WAIT });
    await second.page.goBack();
    await looking(first.page, 'Alan Second').waitFor(WAIT);
    await second.page.goto('about:blank');
    await looking(first.page, 'Alan Second').waitFor({ state: 'detached', ...WAIT });

    // What the third one hears last is what comes last.
    await inbox.write('Visible Later', 'Hello', { channelId: other });
    await row(third.page, 'Visible Later').waitFor(WAIT);
    const heard = await third.page.evaluate<string>('heard.join()');
    expect(heard).toContain('Visible Later');
    const text = heard + (await third.page.content());
    for (const secret of ['Barbara', 'Only if it behaves', 'She is right', 'Grace First', 'Alan Second'])
      expect(text).not.toContain(secret);
    first.expectNoProblems();
    third.expectNoProblems();
  });

  it('the customer never sees that somebody types a note, and a viewer tells nobody', async () => {
    await inbox.write('Frances Allen', 'Optimise this');
    const { id } = await inbox.chatWith('Frances Allen');
    const first = await test.pageOf(await test.createPerson('agent', { name: 'Note Writer' }));
    const viewer = await test.pageOf(await test.createPerson('viewer', { name: 'Silent Viewer' }));
    const sent: string[] = [];
    for (const { page } of [first, viewer])
      page.on('request', (request) => {
        if (request.url().endsWith('/presence')) sent.push(request.postData() ?? '');
      });
    await viewer.open(`/inbox/${id}`);
    await title(viewer.page, 'Frances Allen').waitFor();
    await first.open(`/inbox/${id}`);
    await looking(viewer.page, 'Note Writer').waitFor(WAIT);
    await first.page.keyboard.press('n');
    await first.page.keyboard.type('Only for us');
    await first.page.keyboard.press('Control+Enter');
    await thread(viewer.page).getByText('Only for us').waitFor(WAIT);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.every((body) => body === '{"state":"viewing"}')).toBe(true);
    viewer.expectNoProblems();
  });

  it('a hidden tab does not look', async () => {
    await inbox.write('Jean Bartik', 'Is it plugged in?');
    const { id } = await inbox.chatWith('Jean Bartik');
    const first = await test.pageOf(await test.createPerson('agent', { name: 'Tab Hider' }));
    const second = await test.pageFor('agent');
    await second.open(`/inbox/${id}`);
    await title(second.page, 'Jean Bartik').waitFor();
    await first.open(`/inbox/${id}`);
    await looking(second.page, 'Tab Hider').waitFor(WAIT);
    const setVisibility = (state: string) =>
      first.page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await setVisibility('hidden');
    await looking(second.page, 'Tab Hider').waitFor({ state: 'detached', ...WAIT });
    await setVisibility('visible');
    await looking(second.page, 'Tab Hider').waitFor(WAIT);
  });
});
