import { type AutomationCheck, checkAutomation } from '@parley/sdk';
import { useEffect, useMemo, useState } from 'react';
import { client } from '../../api/api.ts';
import type { FlowDefinition } from '../../flow/definition.ts';
import { TRIGGER_ID } from '../../flow/graph.ts';
import type { Translator } from '../../i18n/i18n.tsx';
import { bodyOf } from './data.ts';

export interface Issue {
  /** Steps are named by their id: `steps.hello.parameters.text`. So it stays right when steps are inserted. */
  path: string;
  /** The step, or the trigger, where it is shown. */
  nodeId: string;
  message: string;
  isWarning: boolean;
}

type FoundIssue = AutomationCheck['issues'][number];
/** Warnings have texts here; the messages of errors are translated. */
const warningCodes = [
  'unreachable_step',
  'loop_without_wait',
  'unknown_variable',
  'unknown_answer',
  'unknown_attribute',
  'missing_variables',
  'no_channel',
  'always_open',
  'never_open',
] as const satisfies readonly FoundIssue['code'][];

const STEP = /^steps\.(\d+)/;

const valueAt = (definition: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
      definition,
    );

/** The path with the id of the step instead of its number. */
export const pathById = (path: string, { steps }: FlowDefinition): string =>
  path.replace(STEP, (whole, index: string) => {
    const id = steps[Number(index)]?.id;
    return id === undefined ? whole : `steps.${id}`;
  });

/** What the API found, where it is to be shown, and in the words of the person where that is possible. */
function issuesOf(
  { issues }: AutomationCheck,
  definition: FlowDefinition,
  { t, translate }: Pick<Translator, 't' | 'translate'>,
): readonly Issue[] {
  const locate = (path: string): Pick<Issue, 'path' | 'nodeId'> => ({
    path: pathById(path, definition),
    nodeId: definition.steps[Number(STEP.exec(path)?.[1] ?? -1)]?.id ?? TRIGGER_ID,
  });
  const isEmpty = (path: string): boolean => {
    const value = valueAt(definition, path);
    return value === undefined || value === '';
  };
  const textOf = ({ path, code, message }: FoundIssue): string => {
    const warning = warningCodes.find((one) => one === code);
    if (warning) return t(`automations.warning.${warning}`);
    return isEmpty(path) ? t('automations.required') : translate(message);
  };
  return issues.map((issue) => ({
    ...locate(issue.path),
    message: textOf(issue),
    isWarning: issue.severity === 'warning',
  }));
}

const DELAY_MS = 400;

/** Asks the API about the definition while it is edited. Undefined until it has answered for the first time. */
export function useIssues(
  definition: FlowDefinition,
  isEnabled: boolean,
  translator: Translator,
): readonly Issue[] | undefined {
  const [checked, setChecked] = useState<{ definition: FlowDefinition; check: AutomationCheck }>();
  useEffect(() => {
    if (!isEnabled) return;
    const controller = new AbortController();
    const ask = async (): Promise<void> => {
      const check = await checkAutomation(client, { body: bodyOf(definition), signal: controller.signal });
      setChecked({ definition, check });
    };
    // Offline: what was found before stays. Saving will say it again.
    const timer = setTimeout(() => void ask().catch(() => {}), DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [definition, isEnabled]);
  return useMemo(
    () => (checked ? issuesOf(checked.check, checked.definition, translator) : undefined),
    [checked, translator],
  );
}
