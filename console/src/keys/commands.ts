import type { IconName } from '../ui/icon.tsx';
import { createLayers, useLayer, useSnapshot } from './layers.ts';

/** Something that the command palette offers. */
export interface Command {
  id: string;
  label: string;
  icon?: IconName;
  /** The key that does the same. */
  keys?: string | undefined;
  group: 'screens' | 'actions';
  run(): void;
}

const commands = createLayers<Command>();

/** The commands of a component, while it is shown. */
export const useCommands = (own: readonly Command[]): void =>
  useLayer(commands, own, ({ id, label }) => `${id} ${label}`);

export const useAllCommands = (): readonly Command[] => useSnapshot(commands);

export const runCommand = (id: string): void =>
  commands
    .read()
    .findLast((command) => command.id === id)
    ?.run();
