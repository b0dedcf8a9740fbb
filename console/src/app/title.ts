import { useEffect } from 'react';
import { createStore } from '../api/store.ts';

/** What is opened on the screen, such as the name of a contact. */
const opened = createStore<string | undefined>(undefined);

export const useOpenedTitle = (): string | undefined => opened.use();

/** Names what is opened in the title of the tab, so that tabs and the browser's history tell chats apart. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    opened.write(name);
    return () => opened.write(undefined);
  }, [name]);
}
