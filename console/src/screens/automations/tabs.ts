import type { ComponentType } from 'react';
import type { Scope } from '../../api/session.tsx';
import type { PlainKey } from '../../i18n/catalogue.ts';
import { EditTab } from './edit-tab.tsx';
import { ResultsTab } from './runs/results-tab.tsx';
import { RunsTab } from './runs/runs-tab.tsx';
import { TryTab } from './runs/try-tab.tsx';
import type { TabProps } from './tab-props.ts';

interface EditorTab {
  /** The part of the path behind the automation's; the first tab has none. */
  id: string;
  title: PlainKey;
  /** Those without it do not see the tab. */
  scope?: Scope;
  component: ComponentType<TabProps>;
}

/** What can be seen of one automation. */
export const editorTabs: readonly EditorTab[] = [
  { id: 'edit', title: 'automations.tab.edit', component: EditTab },
  { id: 'try', title: 'runs.tab.try', scope: 'contacts:read', component: TryTab },
  { id: 'runs', title: 'runs.tab.runs', component: RunsTab },
  { id: 'results', title: 'runs.tab.results', component: ResultsTab },
];
