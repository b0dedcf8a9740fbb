import { createContext, useContext } from 'react';
import type { FlowDefinition } from '../../../flow/definition.ts';

/** What every input gets. */
export interface InputProps {
  label: string;
  value: unknown;
  /** Its place in the definition, such as `steps.2.parameters.text`. */
  path: string;
  /** What is wrong with the value. */
  error: string | undefined;
  /** `about` is the path while somebody types, so that undo takes back the whole text; empty for all other changes. */
  onChange: (value: unknown, about: string) => void;
}

interface InputContext {
  definition: FlowDefinition;
  /** What the API says about a place in the definition. */
  issueAt(path: string): string | undefined;
}

export const InputContext = createContext<InputContext | undefined>(undefined);

export function useInputContext(): InputContext {
  const context = useContext(InputContext);
  if (!context) throw new Error('inputs work inside a panel only');
  return context;
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
