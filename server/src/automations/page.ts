import { plainPageReader } from '../http/plain-page.ts';
import { type AutomationRow, automationColumns, isShownAutomation, presentAutomation } from './automation.ts';

/** A page of automations, which takes five statements as a search. */
export const readAutomationPage = plainPageReader({
  name: 'automations.page',
  rowAsJson: `(select to_json(j) from (select ${automationColumns('r')}) j)`,
  table: 'automations',
  isListed: isShownAutomation('r'),
  present: (row: AutomationRow & { created_at: string }) => presentAutomation(row),
});
