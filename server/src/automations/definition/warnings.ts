import { findNearest } from '../../base/nearest.ts';
import { createTurns } from '../../base/turns.ts';
import type { TenantHours } from '../../hours/tenant-hours.ts';
import type { Definition } from '../schema.ts';
import { segmentsOf } from './liquid.ts';
import type { StepType, TriggerType } from './steps.ts';

/** What is allowed, but is probably not meant. */
export const warningKeys = [
  'unreachable_step',
  'loop_without_wait',
  'unknown_variable',
  'unknown_answer',
  'unknown_attribute',
  'missing_variables',
  'no_channel',
  'always_open',
  'never_open',
] as const;
export interface Warning {
  path: string;
  key: (typeof warningKeys)[number];
  message: string;
}

const MAX_WARNINGS = 100;

type Step = Definition['steps'][number];

/** The indexes of the steps that can follow each step. */
function followersOf(steps: readonly Step[]): number[][] {
  const indexes = new Map(steps.map(({ id }, index) => [id, index]));
  return steps.map(({ type, parameters = {}, next }, index) => {
    if (type === 'end') return [];
    const following = next ?? steps[index + 1]?.id;
    const {
      cases = [],
      else: otherwise,
      onTimeout,
    } = parameters as {
      cases?: { next: string }[];
      else?: string;
      onTimeout?: string;
    };
    const ids =
      type === 'branch'
        ? [...cases.map((one) => one.next), otherwise ?? following]
        : [following, ...(onTimeout === undefined ? [] : [onTimeout])];
    return [...new Set(ids)].flatMap((id) => indexes.get(id ?? '') ?? []);
  });
}

/** Everything that can be reached from some steps, along steps for which `isPassable` is true. */
function reachableFrom(
  starts: readonly number[],
  followers: readonly number[][],
  isPassable: (index: number) => boolean = () => true,
): Set<number> {
  const reached = new Set<number>();
  const open = [...starts];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (reached.has(index) || !isPassable(index)) continue;
    reached.add(index);
    open.push(...(followers[index] ?? []));
  }
  return reached;
}

const WAITING: ReadonlySet<StepType> = new Set(['wait', 'wait_for_reply']);

/** One warning for each loop in which nothing waits: such a run ends after 1000 steps, all in a moment. */
function findLoops(steps: readonly Step[], followers: readonly number[][], reached: Set<number>): Warning[] {
  const isPassable = (index: number): boolean => !WAITING.has((steps[index] as Step).type);
  const reaches = steps.map((_, index) =>
    reached.has(index) && isPassable(index)
      ? reachableFrom(followers[index] as number[], followers, isPassable)
      : new Set<number>(),
  );
  const listed = new Set<number>();
  return steps.flatMap((_, index) => {
    if (listed.has(index) || !reaches[index]?.has(index)) return [];
    const loop = [...(reaches[index] as Set<number>)]
      .filter((other) => reaches[other]?.has(index))
      .sort((a, b) => a - b);
    for (const other of loop) listed.add(other);
    const ids = loop.map((other) => `"${(steps[other] as Step).id}"`).slice(0, 10);
    const message = `The steps ${ids.join(', ')} can repeat without a wait; a run fails after 1000 steps`;
    return [{ path: `steps.${index}`, key: 'loop_without_wait', message }];
  });
}

/** The triggers whose runs begin without a chat, and get no channel from anywhere else. */
const WITHOUT_CHAT: ReadonlySet<TriggerType> = new Set(['api', 'contact_created', 'label_added', 'schedule']);

/** The first message of a run that has neither a chat nor a channel. */
function findWithoutChannel({ trigger, steps }: Definition, followers: readonly number[][]): Warning[] {
  if (!WITHOUT_CHAT.has(trigger.type) || trigger.parameters?.channelId !== undefined) return [];
  const hasChannel = ({ type, parameters }: Step): boolean =>
    type === 'send_template' || (type === 'send_message' && parameters?.channelId !== undefined);
  const before = reachableFrom([0], followers, (index) => !hasChannel(steps[index] as Step));
  const first = [...before].sort((a, b) => a - b).find((index) => steps[index]?.type === 'send_message');
  const message = 'The run has no chat here: give the step or the trigger a channelId';
  return first === undefined
    ? []
    : [{ path: `steps.${first}.parameters.channelId`, key: 'no_channel', message }];
}

const WORD_HOURS = /\bhours\.(?:isOpen|opensAt)\b|"untilOpen"/;

/** What makes business hours useless: nobody has set them, or they never open. */
function problemOfHours(
  { trigger }: Definition,
  hours: TenantHours,
  now: Date,
): Omit<Warning, 'path'> | undefined {
  if (hours.isAlwaysOpen)
    return { key: 'always_open', message: 'Nobody has set business hours, so that it is always open' };
  const channelId = (trigger.parameters?.channelId as string | undefined) ?? null;
  return hours.openingOf(channelId).nextOpening(now) === null
    ? { key: 'never_open', message: 'The business hours have no opening in the next ten years' }
    : undefined;
}

/** Steps that depend on useless business hours. */
function findUselessHours(definition: Definition, hours: TenantHours, now: Date): Warning[] {
  const paths = definition.steps.flatMap(({ parameters = {} }, index) =>
    WORD_HOURS.test(JSON.stringify(parameters)) ? [`steps.${index}`] : [],
  );
  // Once for all steps: hours that never open are looked at for ten years.
  const problem = paths.length > 0 ? problemOfHours(definition, hours, now) : undefined;
  return problem ? paths.map((path) => ({ path, ...problem })) : [];
}

/** Variables that nobody gives a value: only the API and campaigns can. */
function findMissingVariables({ trigger, variables }: Definition): Warning[] {
  if (trigger.type === 'api' || trigger.type === 'campaign') return [];
  return variables.flatMap(({ name, required, default: value }, index) =>
    required && value === undefined
      ? [
          {
            path: `variables.${index}`,
            key: 'missing_variables' as const,
            message: `Runs that the trigger starts will fail, because "${name}" is required and has no default`,
          },
        ]
      : [],
  );
}

/** Every text in the parameters of a step, with its path. */
function textsIn(value: unknown, path: string, found: [path: string, text: string][]): void {
  if (typeof value === 'string') found.push([path, value]);
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) textsIn(part, `${path}.${name}`, found);
}

/** Names that texts use and that have no value. They are empty, so that a misspelt one is easily missed. */
async function findUnknownNames(
  { variables, steps }: Definition,
  externalIds: readonly string[],
): Promise<Warning[]> {
  const saved = steps.flatMap(({ parameters }) => (parameters?.saveAs as string | undefined) ?? []);
  const kinds = new Map<string, { key: Warning['key']; noun: string; names: ReadonlySet<string> }>([
    [
      'variables',
      { key: 'unknown_variable', noun: 'variable', names: new Set(variables.map(({ name }) => name)) },
    ],
    ['steps', { key: 'unknown_answer', noun: 'saved answer', names: new Set(saved) }],
    ['attributes', { key: 'unknown_attribute', noun: 'attribute', names: new Set(externalIds) }],
  ]);
  const texts: [path: string, text: string][] = [];
  for (const [index, { parameters }] of steps.entries())
    textsIn(parameters, `steps.${index}.parameters`, texts);
  const turn = createTurns();
  const warnings: Warning[] = [];
  for (const [path, text] of texts) {
    await turn();
    if (warnings.length >= MAX_WARNINGS) break;
    for (const [root, name] of segmentsOf(text)) {
      const kind = kinds.get(root);
      if (!kind || name === undefined || kind.names.has(name)) continue;
      // A tenant may have thousands of attributes.
      const nearest = root === 'attributes' ? undefined : findNearest(name, kind.names);
      const advice = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
      warnings.push({
        path,
        key: kind.key,
        message: `There is no ${kind.noun} "${name.slice(0, 100)}"${advice}`,
      });
    }
  }
  return warnings;
}

/** Returns what is suspicious about a valid definition. */
export async function findWarnings(
  definition: Definition,
  externalIds: readonly string[],
  hours: TenantHours,
  now: Date,
): Promise<Warning[]> {
  const { steps } = definition;
  const followers = followersOf(steps);
  const reached = reachableFrom([0], followers);
  const unreachable = steps.flatMap(({ id }, index): Warning[] =>
    reached.has(index)
      ? []
      : [{ path: `steps.${index}`, key: 'unreachable_step', message: `No step leads to "${id}"` }],
  );
  return [
    ...unreachable,
    ...findLoops(steps, followers, reached),
    ...findMissingVariables(definition),
    ...findWithoutChannel(definition, followers),
    ...findUselessHours(definition, hours, now),
    ...(await findUnknownNames(definition, externalIds)),
  ].slice(0, MAX_WARNINGS);
}
