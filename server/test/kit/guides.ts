import { readFileSync } from 'node:fs';

export interface GuideDefinition {
  name: string;
  trigger: { type: string; parameters: Record<string, unknown> };
  variables?: { name: string }[];
  steps: { id: string; type: string; parameters: Record<string, unknown>; next?: string }[];
}

const readPage = (name: string): string =>
  readFileSync(new URL(`../../../docs/use/${name}.md`, import.meta.url), 'utf8');
const blocksIn = (page: string): string[] =>
  [...page.matchAll(/```json[^\n]*\n([\s\S]*?)\n```/g)].map(([, json]) => json as string);

/** The pages of docs/use with automations that are explained step by step. */
const guide = readPage('automations-guide');
const assistant = readPage('appointment-assistant');
const definitions = [...blocksIn(guide), ...blocksIn(assistant)].filter(
  (json) => json.includes('"trigger"') && json.includes('"steps"'),
);
const nameIn = (json: string): string => JSON.parse(json).name;

/** The names of the automations of the guides. */
export const guideNames = definitions.map(nameIn);

/** The template of the text after some words of the guide. */
const templateAfter = (words: string, name: string): object => ({
  name,
  language: 'en',
  body: new RegExp(`${words} \`([^\`]*)\``).exec(guide)?.[1],
});

/** The templates that the automations send, by the names of the automations. */
const templates: Readonly<Record<string, object>> = {
  'Appointment reminder': templateAfter('with the body', 'appointment'),
  'Abandoned cart': templateAfter('here with the body', 'cart'),
  'Appointment assistant': JSON.parse(blocksIn(assistant).find((json) => json.includes('"body"')) ?? '{}'),
};
export const readTemplate = (name: string): { name: string; language: string } | undefined =>
  templates[name] as { name: string; language: string } | undefined;

/** An automation of the guides, with ids of a tenant instead of the names in capitals. */
export function readGuide(name: string, ids: Readonly<Record<string, string>>): GuideDefinition {
  const json = definitions.find((one) => nameIn(one) === name) ?? '';
  const filled = Object.entries(ids)
    .sort(([a], [b]) => b.length - a.length)
    .reduce((text, [placeholder, id]) => text.replaceAll(placeholder, id), json);
  const definition = JSON.parse(filled) as GuideDefinition;
  return {
    ...definition,
    steps: definition.steps.map((step) => ({ ...step, parameters: step.parameters ?? {} })),
  };
}
