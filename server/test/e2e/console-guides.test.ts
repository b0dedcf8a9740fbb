import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { guideNames } from '../kit/guides.ts';
import { publish } from './automation-page.ts';
import { CUSTOMER, done, type GuideConsole, openShop, useGuideConsole } from './guide-shop.ts';
import { row, thread, WAIT } from './phone-page.ts';

/** The browser reports answers that are errors: a definition that is not complete yet has some. */
const REFUSED = /status of 4\d\d/;

describe.runIf(CHROMIUM)(
  'automations of the guides: built with clicks, tried, published, run by the phone',
  () => {
    let started: GuideConsole;
    beforeAll(async () => {
      started = await useGuideConsole();
    });

    it('are all tested, here or with the appointments', () => {
      const here = ['Welcome', 'Abandoned cart'];
      expect(guideNames.toSorted()).toEqual(
        [...here, 'Appointment reminder', 'Appointment assistant'].sort(),
      );
    });

    it('Welcome', async () => {
      const shop = await openShop(started, 'Welcome');
      const id = await shop.build();
      const ways = [
        '$trigger:next',
        'hello:next',
        'answer:next',
        'which:case:0',
        'is_order:next',
        'order_text:next',
        'to_team:next',
      ];
      await shop.tryIt(
        { 'Reply 1': 'My ORDER, please' },
        ['Hello Ada!', 'My ORDER, please', 'What is the number of your order?'],
        ways,
      );
      await publish(shop.page);
      await shop.takePhone();
      await shop.writes('Hi');
      await shop.hears(/^Hello Ada! Is it about an order/);
      await shop.writes('My order, please');
      await shop.hears('Thank you. What is the number of your order?');
      // Why? says that the reply continued the run, and leads to it.
      await row(shop.page, CUSTOMER).click();
      await thread(shop.page).getByText('My order, please').waitFor();
      await shop.page.keyboard.press('y');
      const why = shop.page.getByRole('dialog', { name: 'Why did automations start, or not?' });
      await why.getByText('This message was the reply, and the run went on with it.').waitFor(WAIT);
      await why.getByRole('link', { name: 'Open the run' }).click();
      await shop.page.getByRole('heading', { name: `Run for ${CUSTOMER}` }).waitFor();
      const steps = done('hello', 'answer', 'which', 'is_order', 'order_text', 'to_team', 'done');
      await shop.openRun(id, 'Completed', steps, ways);
      shop.expectNoProblems(REFUSED);
    });

    it('Abandoned cart', async () => {
      const shop = await openShop(started, 'Abandoned cart');
      const labels = `/v3/contacts/${shop.contactId}/labels`;
      const leaveCart = () => shop.api('POST', labels, { labels: [{ id: shop.ids.CART_LABEL_ID }] });
      // It is tried with a contact who has written, and then left a cart behind.
      await shop.takePhone();
      await shop.writes('Do you have this in blue?');
      await leaveCart();
      const id = await shop.build();
      const upToSecond = [
        '$trigger:next',
        'hour:next',
        'still_1:case:0',
        'first:next',
        'day_1:timeout',
        'still_2:case:0',
        'second:next',
      ];
      await shop.tryIt(
        { 'Reply 1': '', 'Reply 2': 'Is there a larger one?' },
        ['your cart is still here', 'No reply came.', 'now with 5 % off', 'Is there a larger one?'],
        [...upToSecond, 'day_2:next', 'person:next'],
      );
      await publish(shop.page);
      await shop.api('DELETE', `${labels}/${shop.ids.CART_LABEL_ID}`);
      await leaveCart();
      await shop.takePhone();
      await shop.letPass('+ 1 hour');
      await shop.hears(/^Hello Ada, your cart is still here/);
      await shop.letPass('+ 1 day');
      await shop.hears('Your cart is waiting, now with 5 % off.');
      await shop.letPass('+ 1 day');
      await shop.hears('Your cart is waiting, now with 10 % off.');
      await shop.writes('Is there a larger one?');
      const before = ['hour', 'still_1', 'first', 'day_1', 'still_2', 'second', 'day_2', 'still_3', 'third'];
      const thirdDay = ['day_2:timeout', 'still_3:case:0', 'third:next', 'day_3:next', 'person:next'];
      await shop.openRun(id, 'Completed', done(...before, 'day_3', 'person', 'done'), [
        ...upToSecond,
        ...thirdDay,
      ]);
      shop.expectNoProblems(REFUSED);
    });
  },
);
