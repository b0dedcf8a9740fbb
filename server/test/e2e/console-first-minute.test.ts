import { beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../kit/browser.ts';
import { type TestConsole, useConsole } from '../kit/console.ts';
import { PASSWORD } from '../kit/people.ts';
import { phone, row, say, thread, WAIT } from './phone-page.ts';

describe.runIf(CHROMIUM)('the first minute', () => {
  let test: TestConsole;
  beforeAll(async () => {
    test = await useConsole();
  });

  it('click the printed link, answer, write a note, hand over, and play the customer', async () => {
    const { page, expectNoProblems } = await test.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(test.firstLink);
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();

    // The chats of the demo are there, and the automation has answered somebody.
    await row(page, 'Tom Becker').getByText('What is it about?').waitFor(WAIT);
    for (const name of ['Mina Park', 'Priya Nair', 'ride.with.sol']) await row(page, name).first().waitFor();
    await row(page, 'Leo Rossi').click();
    await thread(page).getByText('My order says delivered').waitFor();

    await page.getByRole('textbox', { name: 'Reply' }).fill('I am on it, Leo.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await thread(page)
      .getByText(/Delivered|Read/)
      .first()
      .waitFor(WAIT);
    await page.getByRole('tab', { name: 'Note' }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('The carrier knows nothing about it.');
    await page.getByRole('button', { name: 'Add note' }).click();
    await thread(page).getByText('Note by Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Assign' }).click();
    await page.getByRole('option', { name: 'Noor Haddad' }).click();
    await page.getByText('Assigned to Noor Haddad').waitFor();

    // The phone beside it is Leo's: the note is not on it.
    await page.getByRole('button', { name: 'Play the customer' }).click();
    const messages = phone(page).getByRole('log');
    await messages.getByText('I am on it, Leo.').waitFor(WAIT);
    expect(await messages.getByText('The carrier knows nothing').count()).toBe(0);
    await say(page, 'Thank you!');
    await thread(page).getByText('Thank you!').waitFor(WAIT);

    // Somebody new is greeted, taps a button, and gets an answer.
    await phone(page).getByRole('button', { name: 'You are Leo Rossi' }).click();
    await phone(page).getByRole('button', { name: 'Somebody new' }).click();
    await phone(page).getByLabel('Name').fill('Edith Clarke');
    await phone(page).getByRole('button', { name: 'Take the phone' }).click();
    await say(page, 'Good morning');
    await messages.getByText('Hello Edith!').waitFor(WAIT);
    await messages.getByRole('button', { name: 'Opening hours' }).click();
    await messages.getByText('We are open from Tuesday').waitFor(WAIT);
    await row(page, 'Edith Clarke').waitFor(WAIT);
    expectNoProblems();
  });

  it('shows every state: snoozed, closed, of a team, failed, with a picture', async () => {
    const { page, open, expectNoProblems } = await test.pageFor('agent');
    await open('/inbox?view=snoozed');
    await row(page, 'Jonas Weber').waitFor(WAIT);
    await open('/inbox?view=closed');
    await row(page, 'Amara Okafor').waitFor(WAIT);
    await open('/inbox');
    await row(page, 'Priya Nair').click();
    await thread(page).getByText('The message cannot be delivered').waitFor(WAIT);
    await row(page, 'ride.with.sol').click();
    await thread(page).getByRole('img', { name: 'cargo-bike.png' }).waitFor(WAIT);
    await page.getByRole('heading', { name: 'ride.with.sol' }).waitFor();
    await page.getByText('Workshop').first().waitFor();
    await row(page, 'Mina Park').filter({ hasText: 'dog' }).click();
    await thread(page).getByText('@Sam Rivera is that all right with you?').waitFor();
    expectNoProblems();
  });
});
