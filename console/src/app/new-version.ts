import { useEffect } from 'react';
import { basePath } from '../api/client.ts';
import { createStore } from '../api/store.ts';
import { useLiveState } from '../live/live-provider.tsx';

const CHECK_AGAIN_MS = 60_000;
const ownBuild = document.documentElement.dataset.build;
let checkedAt = 0;
/** Once there is another build, it stays: the page is the old one. */
const isNew = createStore(false);

/** Whether the server has another build of the console. It is a file of the console, not an operation of the API. */
async function hasOtherBuild(): Promise<boolean> {
  const response = await fetch(`${basePath}/console/version.json`, { cache: 'no-store' });
  const { build } = (await response.json()) as { build?: string };
  return response.ok && build !== undefined && build !== ownBuild;
}

/** Asks when the connection comes back, which is when a server has been updated, and when the tab is shown again. */
export function useNewVersion(): boolean {
  const live = useLiveState();
  useEffect(() => {
    const check = (): void => {
      if (document.visibilityState === 'hidden' || Date.now() - checkedAt < CHECK_AGAIN_MS) return;
      checkedAt = Date.now();
      hasOtherBuild().then(isNew.write, () => {
        checkedAt = 0;
      });
    };
    if (live === 'reconnecting') checkedAt = 0;
    else check();
    document.addEventListener('visibilitychange', check);
    return () => document.removeEventListener('visibilitychange', check);
  }, [live]);
  return isNew.use();
}
