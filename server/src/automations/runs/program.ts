import type { Purpose } from '../../contacts/consent/schema.ts';
import type { Searchable } from '../../search/fields.ts';
import { type Filter, parseFilter } from '../../search/grammar/filter.ts';
import { mayBeRelative } from '../../search/grammar/relative-time.ts';
import { conditionFields } from '../definition/conditions.ts';
import { purposeOf, type StepType } from '../definition/steps.ts';
import type { Definition } from '../schema.ts';

export interface ProgramStep {
  id: string;
  type: StepType;
  parameters: Record<string, unknown>;
  /** The step that follows, null after the last. */
  next: string | null;
  /** The parsed conditions of a branch at a moment, one per case. */
  conditionsAt: (now: Date) => Filter[];
}

/** A version of an automation, compiled to be executed. */
export interface Program {
  first: string;
  steps: ReadonlyMap<string, ProgramStep>;
  /** The names of the variables. */
  declared: readonly string[];
  /** The names under which answers of `http_request` steps are saved. */
  savedAs: readonly string[];
  channelId: string | null;
  purpose: Purpose;
  usesUnsubscribeUrl: boolean;
  usesSecrets: boolean;
  /** Whether a step needs the business hours. */
  usesHours: boolean;
  /** Whether a step may use the chat as it is after a message of the run. A contact as a whole has its chats. */
  usesChat: boolean;
  /** The teams whose members get chats in turn. */
  turnTeamIds: readonly string[];
}

/** Parses the conditions once, or each time if their value depends on it. */
function compileConditions(texts: string[], fields: Searchable): (now: Date) => Filter[] {
  const parseAt = (now: Date): Filter[] => texts.map((text) => parseFilter(text, fields, now));
  if (texts.some(mayBeRelative)) return parseAt;
  const parsed = parseAt(new Date());
  return () => parsed;
}

/** Compiles a stored definition. It is valid, as it was validated when it was saved. */
export function compileProgram(definition: Definition): Program {
  const { trigger, variables, steps } = definition;
  const savedAs = steps.flatMap(({ parameters }) => (parameters?.saveAs as string | undefined) ?? []);
  const fields = conditionFields(variables, savedAs);
  const compiled = steps.map(({ id, type, parameters = {}, next }, index): ProgramStep => {
    const cases = (parameters.cases ?? []) as { when: string }[];
    return {
      id,
      type,
      parameters,
      next: next ?? steps[index + 1]?.id ?? null,
      conditionsAt: compileConditions(
        cases.map(({ when }) => when),
        fields,
      ),
    };
  });
  return {
    first: (compiled[0] as ProgramStep).id,
    steps: new Map(compiled.map((step) => [step.id, step])),
    declared: variables.map(({ name }) => name),
    savedAs: [...new Set(savedAs)],
    channelId: (trigger.parameters?.channelId as string | undefined) ?? null,
    purpose: purposeOf(definition),
    usesUnsubscribeUrl: JSON.stringify(steps).includes('unsubscribeUrl'),
    usesHours: /hours|"untilOpen"/.test(JSON.stringify(steps)),
    usesChat: /chat|contact(?!\.\w)/i.test(JSON.stringify(steps)),
    turnTeamIds: steps.flatMap(({ parameters }) =>
      parameters?.strategy === undefined ? [] : (parameters.teamId as string),
    ),
    usesSecrets: steps.some(
      ({ type, parameters }) =>
        type === 'http_request' && /secrets|"signWith"/.test(JSON.stringify(parameters)),
    ),
  };
}
