import { channelAccess } from '../people/channel-access.ts';
import { aboutAnyChat } from './event.ts';
import type { StreamRequest } from './filter.ts';

const isAboutAnyChat = (type: string): boolean => aboutAnyChat.some((prefix) => type.startsWith(prefix));
const DATA = '\ndata: ';

/**
 * The same stream for a caller who may be restricted to channels: without the events of others, and without the chats of
 * others that contacts list. The channels may change while the stream is open.
 */
export function restrictStream(
  request: StreamRequest,
  visibleChannels: () => ReadonlySet<string> | undefined,
): StreamRequest {
  return {
    ...request,
    filter: (event) => {
      const channels = visibleChannels();
      if (channels === undefined) return request.filter(event);
      const { channel_id, type } = event;
      const isVisible = channel_id === null ? !isAboutAnyChat(type) : channels.has(channel_id);
      return isVisible && request.filter(event);
    },
    show: (bytes) => {
      const channels = visibleChannels();
      return channels !== undefined && bytes.includes('"chats":[')
        ? withoutOtherChats(bytes, channels)
        : bytes;
    },
  };
}

function withoutOtherChats(bytes: Buffer, channels: ReadonlySet<string>): Buffer {
  const text = bytes.toString();
  const start = text.indexOf(DATA) + DATA.length;
  const shown = channelAccess.withoutHidden(JSON.parse(text.slice(start)), channels);
  return Buffer.from(`${text.slice(0, start)}${JSON.stringify(shown)}\n\n`);
}
