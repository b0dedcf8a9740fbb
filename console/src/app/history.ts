import { createBrowserHistory } from '@tanstack/react-router';
import { basePath } from '../api/client.ts';

/** What all addresses of the console begin with. */
export const consolePath = `${basePath}/console`;

export const history = createBrowserHistory();

/** The path of an address below `/console` that was in a URL, so it may be anything. */
export function pathTo(address: string | undefined): string {
  const isOurs =
    address?.startsWith('/') === true && !/^\/[/\\]/.test(address) && !address.startsWith('/login');
  return `${consolePath}${isOurs ? address : '/'}`;
}
