import type { Page } from 'playwright-core';
import { type FlowStep, type Outlet, outletsOf } from '../../../console/src/flow/definition.ts';
import { readDuration } from '../../../console/src/flow/duration.ts';
import { en } from '../../../console/src/i18n/en.ts';
import type { GuideDefinition } from '../kit/guides.ts';
import { addCondition, addStep, choose, createEmpty, field, node, panel } from './automation-page.ts';

type Parameters = GuideDefinition['steps'][number]['parameters'];
/** What people see of an id: the name of a label, a team, a channel, a template. */
export type NameOf = (id: unknown) => string;

const textOf = (key: string): string => String((en as Record<string, unknown>)[key]);

async function fillDuration(page: Page, label: string, duration: unknown): Promise<void> {
  const [part] = readDuration(String(duration)) ?? [];
  if (!part) throw new Error(`${String(duration)} is not a duration of one unit`);
  await choose(page, 'Unit', textOf(`automations.unit.${part.unit}`));
  await field(page, label).fill(String(part.count));
}

/** A condition of the guides: a word in the message, or a label of the contact. */
async function fillCase(page: Page, number: number, when: string, nameOf: NameOf): Promise<void> {
  const [, call, value = ''] = /^(\w+)\([\w.]+,"(.*)"\)$/.exec(when) ?? [];
  if (call === 'hasWord') await addCondition(page, number, 'Message has the word', { typed: value });
  else await addCondition(page, number, 'Has the label', { chosen: nameOf(value) });
}

/** Fills the panel of each kind of step, as far as the guides use it. */
const FILL: Record<string, (page: Page, parameters: Parameters, nameOf: NameOf) => Promise<void>> = {
  send_message: (page, { text }) => field(page, 'Text').fill(String(text)),
  async send_template(page, { templateId, variables = {}, header }, nameOf) {
    await choose(page, 'Template', nameOf(templateId));
    for (const [name, text] of Object.entries(variables as Record<string, string>))
      await field(page, name).fill(text);
    if (header === undefined) return;
    await panel(page).getByRole('button', { name: 'Add to: Send a template' }).click();
    await page.getByRole('menuitem', { name: 'Header' }).click();
    await field(page, 'Address (URL)').fill((header as { url: string }).url);
  },
  async wait(page, parameters) {
    if (parameters.for !== undefined) return fillDuration(page, 'For a while', parameters.for);
    await choose(page, 'What', 'Until a time');
    await field(page, 'The time in a value').last().fill(String(parameters.until));
  },
  wait_for_reply: (page, { timeout }) => fillDuration(page, 'Wait at most', timeout),
  async branch(page, { cases }, nameOf) {
    for (const [index, { when }] of (cases as { when: string }[]).entries()) {
      if (index > 0) await panel(page).getByRole('button', { name: 'Add a case' }).click();
      await fillCase(page, index + 1, when, nameOf);
    }
  },
  add_label: (page, { labelId }, nameOf) => choose(page, 'Label', nameOf(labelId)),
  assign: (page, { teamId }, nameOf) => choose(page, 'Team', nameOf(teamId)),
  set_chat_status: (page, { status }) => choose(page, 'Status', textOf(`flow.status.${status}`)),
  async http_request(page, { method, url, headers = {} }) {
    await choose(page, 'Method', String(method));
    await field(page, 'Address (URL)').fill(String(url));
    const texts = Object.entries(headers as Record<string, string>);
    if (texts.length === 0) return;
    await panel(page).getByRole('button', { name: 'Add to: Call a server' }).click();
    await page.getByRole('menuitem', { name: 'Headers' }).click();
    for (const [name, text] of texts) {
      await field(page, 'New name (Headers)').fill(name);
      await panel(page).getByRole('button', { name: 'Add', exact: true }).click();
      await field(page, name).fill(text);
    }
  },
};

async function fillTrigger(page: Page, guide: GuideDefinition, nameOf: NameOf): Promise<void> {
  const { type, parameters } = guide.trigger;
  await node(page, '$trigger').click();
  await choose(page, 'How it begins', textOf(`flow.trigger.${type}`));
  if (parameters.labelId !== undefined) await choose(page, 'Label', nameOf(parameters.labelId));
  if (parameters.channelId !== undefined) await choose(page, 'Channel', nameOf(parameters.channelId));
  for (const { name } of guide.variables ?? []) {
    await panel(page).getByRole('button', { name: 'Add a value' }).click();
    await panel(page).getByRole('group', { name: 'New value' }).getByLabel('Name').fill(name);
  }
}

/** The label of the field that says where a way leads. */
const targetLabel = (outlet: Outlet): RegExp =>
  outlet === 'timeout'
    ? /^Continue with \(No reply/
    : outlet === 'else'
      ? /\(Otherwise\)$/
      : /^Continue with( \(Reply\))?$/;

/**
 * Builds an automation of the guides with clicks and typed texts, and returns its id. Each step is inserted on the first way
 * that leads to it. All other ways lead to the end at first, and are then led where the guide leads them.
 */
export async function buildByClicks(page: Page, guide: GuideDefinition, nameOf: NameOf): Promise<string> {
  const id = await createEmpty(page, guide.name);
  await fillTrigger(page, guide, nameOf);
  const steps = guide.steps as FlowStep[];
  const ways = steps.flatMap((step, index) =>
    outletsOf(steps, index).map(({ outlet, to }) => ({ from: step.id, outlet, to })),
  );
  const [first, ...others] = guide.steps.filter(({ type }) => type !== 'end');
  const inserted = new Set<object>();
  for (const step of first ? [first, ...others] : []) {
    const way = step === first ? undefined : ways.find(({ to }) => to === step.id);
    if (way) inserted.add(way);
    await addStep(
      page,
      way ? `${way.from}:${way.outlet}` : '$trigger:next',
      textOf(`flow.step.${step.type}`),
      step.id,
    );
    await FILL[step.type]?.(page, step.parameters, nameOf);
  }
  for (const way of ways.filter((one) => !inserted.has(one) && one.to !== 'done')) {
    const target = steps.find(({ id: other }) => other === way.to) as FlowStep;
    await node(page, way.from).click();
    await panel(page)
      .getByLabel(targetLabel(way.outlet))
      .selectOption({ label: `${textOf(`flow.step.${target.type}`)}: ${target.id}` });
  }
  return id;
}
