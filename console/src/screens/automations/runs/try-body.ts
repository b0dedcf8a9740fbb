import { type DryRunAutomationBody, ParleyError } from '@parley/sdk';
import type { FlowDefinition, Variable } from '../../../flow/definition.ts';
import { TRIGGER_ID } from '../../../flow/graph.ts';

/** What somebody has filled in. */
export interface TryForm {
  message: string;
  /** As they were typed; empty ones are left out. */
  variables: Readonly<Record<string, string>>;
  replies: readonly string[];
  /** As `<input type="datetime-local">` has it. */
  at: string;
}

/** Whether a message of the contact is what starts a run: by itself, or by opening the chat. */
export const startsWithMessage = ({ trigger }: FlowDefinition): boolean =>
  trigger.type === 'message_received' || trigger.type === 'chat_opened';

/** `greeting` is what somebody writes who opens a chat: without a message a contact who is new could not be answered. */
export const emptyForm = ({ trigger, steps }: FlowDefinition, greeting: string): TryForm => ({
  message: trigger.type === 'chat_opened' ? greeting : '',
  variables: {},
  replies: steps.some(({ type }) => type === 'wait_for_reply') ? [''] : [],
  at: '',
});

const toValue = ({ type }: Variable, text: string): string | number | boolean => {
  if (type === 'boolean') return text === 'true';
  // Something that is no number is sent as it is, so that the server says what is wrong.
  return type === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
};

/** What the API gets. `definition` is left out if it is the latest version. */
export function writeTryBody(
  contactId: string,
  { message, variables, replies, at }: TryForm,
  definition: FlowDefinition,
  isChanged: boolean,
): DryRunAutomationBody {
  const given = definition.variables.flatMap((variable) => {
    const text = variables[variable.name] ?? '';
    return text === '' ? [] : [[variable.name, toValue(variable, text)] as const];
  });
  return {
    contactId,
    ...(message !== '' && { message: { text: message } }),
    ...(given.length > 0 && { variables: Object.fromEntries(given) }),
    ...(replies.length > 0 && { replies: replies.map((text) => (text === '' ? {} : { text })) }),
    ...(at !== '' && { at: new Date(at).toISOString() }),
    // Parameters are checked by the server, whatever somebody has written.
    ...(isChanged && { definition: definition as NonNullable<DryRunAutomationBody['definition']> }),
  };
}

/** What the server said about one parameter. */
export const issueAt = (error: unknown, parameter: string): string | undefined =>
  error instanceof ParleyError
    ? error.issues.find((issue) => issue.parameter === parameter)?.message
    : undefined;

/** What is wrong with the definition, by the step or the trigger that it is about. */
export function findIssuesByNode(
  error: unknown,
  { steps }: FlowDefinition,
): ReadonlyMap<string, readonly string[]> | undefined {
  if (!(error instanceof ParleyError)) return undefined;
  const issues = new Map<string, string[]>();
  for (const { parameter, message } of error.issues) {
    const found = /^definition\.(?:steps\.(\d+)|(\w+))/.exec(parameter);
    if (!found) continue;
    const id = found[1] === undefined ? TRIGGER_ID : (steps[Number(found[1])]?.id ?? TRIGGER_ID);
    issues.set(id, [...(issues.get(id) ?? []), message]);
  }
  return issues.size > 0 ? issues : undefined;
}
