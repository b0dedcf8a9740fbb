import type { Locator, Page } from 'playwright-core';

/** A node or a plus of the picture: `hello`, `$trigger`, `hello:next`. */
export const node = (page: Page, id: string): Locator => page.locator(`[data-item="${id}"]`);
export const panel = (page: Page): Locator => page.getByRole('complementary');
export const field = (page: Page, label: string): Locator => panel(page).getByLabel(label, { exact: true });
export const choose = async (page: Page, label: string, option: string): Promise<void> =>
  void (await field(page, label).selectOption({ label: option }));

/** Clicks the plus on a way, chooses a step and names it. */
export async function addStep(page: Page, way: string, kind: string, id: string): Promise<void> {
  await node(page, way).click();
  await page
    .getByRole('dialog')
    .getByRole('button')
    .filter({ has: page.getByText(kind, { exact: true }) })
    .click();
  const name = field(page, 'Name of the step');
  await name.fill(id);
  await name.press('Enter');
  await node(page, id).waitFor();
}

/** Adds a condition to a case: what, and the value, which is typed or chosen. */
export async function addCondition(
  page: Page,
  number: number,
  what: string,
  value: { typed: string } | { chosen: string },
): Promise<void> {
  const box = panel(page).getByRole('group', { name: `Case ${number}`, exact: true });
  await box.getByRole('button', { name: 'Add a condition', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What').selectOption(what);
  const input = dialog.getByLabel('Value');
  await ('typed' in value ? input.fill(value.typed) : input.selectOption({ label: value.chosen }));
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await box
    .getByText('typed' in value ? `“${value.typed}”` : value.chosen)
    .first()
    .waitFor();
}

/** Creates an automation that only ends, and returns its id. */
export async function createEmpty(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New automation' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await node(page, 'done').waitFor();
  return page.url().split('/').at(-1) as string;
}

export async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Active', { exact: true }).waitFor();
}
