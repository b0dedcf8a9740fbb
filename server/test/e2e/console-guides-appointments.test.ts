import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { publish } from './automation-page.ts';
import { CUSTOMER, done, type GuideConsole, openShop, SECRET, useGuideConsole } from './guide-shop.ts';
import { row, thread, WAIT } from './phone-page.ts';

const DAY_MS = 24 * 3600_000;
/** The browser reports answers that are errors: a definition that is not complete yet has some. */
const REFUSED = /status of 4\d\d/;
const REMINDED = ['$trigger:next', 'sleep:next', 'remind:next', 'answer:next'];
const CONFIRMED = [...REMINDED, 'which:case:0', 'confirmed:next', 'thanks:next'];
const CONFIRMED_STEPS = done('sleep', 'remind', 'answer', 'which', 'confirmed', 'thanks', 'done');

/** As *Try* names the fields. */
const typed = (variables: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, text]) => [`${name} (required)`, text]));

describe.runIf(CHROMIUM)(
  'appointments of the guides: built with clicks, tried, published, run by the phone',
  () => {
    let started: GuideConsole;
    beforeAll(async () => {
      started = await useGuideConsole();
    });

    it('Appointment reminder', async () => {
      const shop = await openShop(started, 'Appointment reminder');
      const id = await shop.build();
      const remindAt = new Date(Date.now() + DAY_MS).toISOString();
      const variables = { appointmentId: '4711', remindAt, when: '15 January, 9:00' };
      await shop.tryIt(
        { ...typed(variables), 'Reply 1': 'No' },
        ['Hello Ada, see you on 15 January, 9:00.', 'The call is not made.', 'It is cancelled.'],
        [...REMINDED, 'which:case:1', 'cancelled:next', 'sorry:next'],
      );
      await publish(shop.page);
      await shop.api('POST', `/v3/automations/${id}/trigger`, { contactId: shop.contactId, variables });
      await shop.takePhone();
      await shop.letPass('+ 1 day');
      await shop.letPass('+ 1 hour');
      await shop.hears(/^Hello Ada, see you on 15 January/);
      await shop.writes('Yes, thanks');
      await shop.hears('Thank you, see you then!');
      expect(started.requests).toEqual(['POST /4711/confirm']);
      await shop.openRun(id, 'Completed', CONFIRMED_STEPS, CONFIRMED);
      shop.expectNoProblems(REFUSED);
    });

    it('Appointment assistant, and a colleague who takes over', async () => {
      const shop = await openShop(started, 'Appointment assistant');
      const id = await shop.build();
      const [remindAt, at] = [1, 2].map((days) => new Date(Date.now() + days * DAY_MS).toISOString());
      const variables = { appointmentId: '4711', at, remindAt } as Record<string, string>;
      await shop.tryIt(
        { ...typed(variables), 'Reply 1': 'I do not know yet' },
        ['Hello Ada, see you on', 'A colleague will answer you in a moment.'],
        [...REMINDED, 'which:else', 'unclear:next', 'to_team:next'],
      );
      await publish(shop.page);
      const trigger = () =>
        shop.api('POST', `/v3/automations/${id}/trigger`, { contactId: shop.contactId, variables });
      await trigger();
      await shop.takePhone();
      await shop.letPass('+ 1 day');
      await shop.letPass('+ 1 hour');
      await shop.hears(/^Hello Ada, see you on/);
      await shop.writes('Yes');
      await shop.hears('Thank you, see you then!');
      expect(started.requests).toEqual([`POST /4711/confirm Bearer ${SECRET}`]);
      await shop.openRun(id, 'Completed', CONFIRMED_STEPS, CONFIRMED);
      expect(await shop.page.content()).not.toContain(SECRET);

      // That time has passed, so the next reminder comes at once. A colleague writes instead of the patient.
      await trigger();
      await shop.open('/inbox');
      await row(shop.page, CUSTOMER).click();
      await expect
        .poll(
          () =>
            thread(shop.page)
              .getByText(/^Hello Ada, see you on/)
              .count(),
          WAIT,
        )
        .toBe(2);
      await shop.page.getByRole('textbox', { name: 'Reply' }).fill('This is Grace. When would suit you?');
      await shop.page.getByRole('button', { name: 'Send', exact: true }).click();
      // It is shown before it has arrived.
      await thread(shop.page).locator('[id^="entry-"]').filter({ hasText: 'This is Grace.' }).waitFor(WAIT);
      const steps = { ...done('sleep', 'remind'), answer: 'cancelled' };
      await shop.openRun(id, 'Cancelled', steps, REMINDED.slice(0, 3));
      await shop.page.getByText('A person has taken over the chat').first().waitFor();
      shop.expectNoProblems(REFUSED);
    });
  },
);
