import { type ChatPresenceEvent, setChatPresence } from '@parley/sdk';
import { useEffect, useRef } from 'react';
import { client } from '../../api/api.ts';
import { useScope } from '../../api/session.tsx';
import { createStore } from '../../api/store.ts';
import { useLiveState } from '../../live/live-provider.tsx';
import { addPatch } from '../../live/patches.ts';

type State = 'viewing' | 'typing' | 'left';

/** A colleague who looks at a chat or types in it. */
interface Present {
  id: string;
  name: string;
  state: Exclude<State, 'left'>;
  /** By the clock of this device: the server says how long it counts, and the clocks may differ. */
  endsAt: number;
}

const all = createStore<ReadonlyMap<string, readonly Present[]>>(new Map());
const NOBODY: readonly Present[] = [];

function change(chatId: string, users: readonly Present[]): void {
  const next = new Map(all.read());
  if (users.length === 0) next.delete(chatId);
  else next.set(chatId, users);
  all.write(next);
}
const findPresent = (chatId: string): readonly Present[] => all.read().get(chatId) ?? NOBODY;

/** Called with the chat that a colleague comes to. */
const newcomers = new Set<(chatId: string) => void>();

addPatch(['chat.presence'], (event) => {
  const { createdAt, data } = event as ChatPresenceEvent;
  const { chatId, user, state, until } = data;
  const present = findPresent(chatId);
  const others = present.filter(({ id }) => id !== user.id);
  if (state === 'left') return change(chatId, others);
  if (others.length === present.length) for (const welcome of newcomers) welcome(chatId);
  const lasts = Date.parse(until) - Date.parse(createdAt);
  const endsAt = Date.now() + lasts;
  change(chatId, [...others, { ...user, state, endsAt }]);
  // A laptop that is closed sends nothing.
  setTimeout(() => {
    const now = findPresent(chatId);
    if (now.some((one) => one.id === user.id && one.endsAt === endsAt))
      change(
        chatId,
        now.filter(({ id }) => id !== user.id),
      );
  }, lasts);
});

/** The colleagues who are in a chat now. */
export const usePresent = (chatId: string): readonly Present[] =>
  all.use((users) => users.get(chatId) ?? NOBODY);

/** Before the 45 seconds that `viewing` counts are over. */
const REPEAT_MS = 30_000;
/** `typing` counts for ten seconds. */
const TYPING_REPEAT_MS = 5_000;
const TYPING_PAUSE_MS = 7_000;
/** Within two seconds the server passes the same on once. */
const AGAIN_MS = 2_100;

/** Nothing depends on it, so nothing is said if it fails. `keepalive`: it arrives although the page is being closed. */
const quietClient = {
  ...client,
  retries: 0,
  fetch: ((input, init) => client.fetch(input, { ...init, keepalive: true })) as typeof fetch,
};

/** Tells colleagues what this person does in a chat. */
function createTeller(chatId: string) {
  let state: State = 'left';
  let sentAt = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  function say(next: State): void {
    if (next !== 'typing') clearTimeout(pause);
    clearTimeout(again);
    state = next;
    sentAt = Date.now();
    const send = () =>
      setChatPresence(quietClient, { path: { chatId }, body: { state: next } }).catch(() => {});
    // In their order, except that a page that is being closed cannot wait.
    sending = next === 'left' ? send() : sending.then(send);
  }
  return {
    view: () => say('viewing'),
    leave() {
      if (state !== 'left') say('left');
    },
    repeat() {
      if (state === 'viewing') say('viewing');
    },
    /** Somebody who comes later has not heard what was said before. */
    welcome() {
      clearTimeout(again);
      again = setTimeout(() => state !== 'left' && say(state), Math.max(0, sentAt + AGAIN_MS - Date.now()));
    },
    type(isTyping: boolean) {
      if (state === 'left' || (!isTyping && state !== 'typing')) return;
      if (!isTyping) return say('viewing');
      if (state !== 'typing' || Date.now() - sentAt >= TYPING_REPEAT_MS) say('typing');
      clearTimeout(pause);
      pause = setTimeout(() => say('viewing'), TYPING_PAUSE_MS);
    },
  };
}

/** Tells colleagues that this person looks at a chat, until it is left or hidden. Returns what to call while they type. */
export function usePresence(chatId: string): (isTyping: boolean) => void {
  const canTell = useScope('chats:write');
  // Only who hears colleagues is heard: they answer a newcomer.
  const isLive = useLiveState() === 'live';
  const teller = useRef<ReturnType<typeof createTeller>>(undefined);
  useEffect(() => {
    if (!canTell || !isLive) return;
    const own = createTeller(chatId);
    teller.current = own;
    const update = (): void => (document.visibilityState === 'visible' ? own.view() : own.leave());
    const welcome = (id: string): void => {
      if (id === chatId) own.welcome();
    };
    const repeat = setInterval(own.repeat, REPEAT_MS);
    update();
    newcomers.add(welcome);
    document.addEventListener('visibilitychange', update);
    window.addEventListener('pagehide', own.leave);
    window.addEventListener('pageshow', update);
    return () => {
      clearInterval(repeat);
      newcomers.delete(welcome);
      document.removeEventListener('visibilitychange', update);
      window.removeEventListener('pagehide', own.leave);
      window.removeEventListener('pageshow', update);
      own.leave();
      teller.current = undefined;
    };
  }, [chatId, canTell, isLive]);
  return (isTyping) => teller.current?.type(isTyping);
}
