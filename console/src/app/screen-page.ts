import type { ComponentType } from 'react';
import type { Scope } from '../api/session.tsx';
import type { titles } from '../i18n/en/titles.ts';
import type { IconName } from '../ui/icon.tsx';

/** A page of a screen that has a navigation of its own. */
export interface ScreenPage {
  /** The part of the path behind the screen's. */
  id: string;
  title: keyof typeof titles;
  icon: IconName;
  /** Those without it do not see the page. */
  scope?: Scope;
  /** For those who run the server. */
  isForOperators?: boolean;
  load: () => Promise<ComponentType>;
}
