import type { CDPSession, Page } from 'playwright-core';
import type { Case, Side } from '../figure.ts';
import { createResource } from '../target.ts';
import { chargeServer } from '../workload.ts';
import { logIn } from './console.ts';

const STEPS = 200;
const GOAL_MS = 1_000;

/** Steps with decisions, some of which lead far ahead or back. */
const steps = Array.from({ length: STEPS }, (_, index) =>
  index % 7 === 3
    ? {
        id: `s${index}`,
        type: 'branch',
        parameters: {
          cases: [{ when: `hasWord(message.text,"word ${index}")`, next: `s${(index * 13) % STEPS}` }],
        },
      }
    : { id: `s${index}`, type: 'wait', parameters: { for: 'P1D' } },
);

/** From now on, `drawn` is when all steps are shown: the second frame after the last of them is in the page. */
const WATCH = `
  globalThis.drawn = new Promise((resolve) => {
    const begun = performance.now();
    const observer = new MutationObserver(() => {
      if (document.querySelectorAll('.react-flow__node').length < ${STEPS}) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - begun)));
    });
    observer.observe(document, { subtree: true, childList: true });
  });`;
const waitUntilDrawn = (page: Page): Promise<number> => page.evaluate('drawn') as Promise<number>;

async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

/** How long somebody waits for the picture of a large automation. */
export async function createPicture({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const tenant = await target.createTenant();
  const trigger = { type: 'chat_opened', parameters: {} };
  const automationId = await createResource(tenant, '/v3/automations', { name: 'Large', trigger, steps });
  const context = await logIn(target, tenant, 'admin');
  let page: Page | undefined;
  return [
    {
      title: `console: a picture of ${STEPS} steps`,
      warmUp: 1,
      count: () => 1,
      restarts: 'never',
      effort: { rounds: 9 },
      hasRate: false,
      hasCpu: false,
      values: {
        opened: {
          title: `console: a picture of ${STEPS} steps, from the click in the list to the frame that shows it`,
          unit: 'ms',
          goal: GOAL_MS,
        },
        ratio: { title: '  ratio to the limit', digits: 2, goal: 1 },
        cpu: {
          title: '  CPU time of the page, which other programs on the machine do not change',
          unit: 'ms',
        },
        loaded: { title: '  the page loaded again, with everything cached', unit: 'ms' },
      },
      ours: {
        ...chargeServer(target),
        async run() {
          page ??= await context.newPage();
          const startedAt = performance.now();
          await page.goto('/console/automations');
          const link = page.getByRole('link', { name: 'Large' });
          await link.waitFor();
          const session = await page.context().newCDPSession(page);
          await session.send('Performance.enable', { timeDomain: 'threadTicks' });
          const before = await taskSeconds(session);
          await page.evaluate(`${WATCH} undefined`);
          await link.click();
          const opened = await waitUntilDrawn(page);
          const cpu = ((await taskSeconds(session)) - before) * 1000;
          await session.detach();
          await page.goto('about:blank');
          const watched = await page.context().newPage();
          await watched.addInitScript(WATCH);
          await watched.goto(`/console/automations/${automationId}`);
          const loaded = await waitUntilDrawn(watched);
          await watched.close();
          return {
            operations: 1,
            seconds: (performance.now() - startedAt) / 1000,
            values: { opened, ratio: opened / GOAL_MS, cpu, loaded },
          };
        },
      },
    },
  ];
}
