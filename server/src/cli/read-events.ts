/** One block of server-sent events. Without data it is a heartbeat, which may still have an id. */
export interface ServerEvent {
  id: string | undefined;
  type: string;
  data: string;
}

/** Reads server-sent events as they arrive; an incomplete block is ignored. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields: [name: string, value: string][] = [];
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() as string;
    for (const line of lines.map((one) => one.replace(/\r$/, ''))) {
      if (line !== '') fields.push(fieldOf(line));
      else if (fields.length > 0) {
        yield eventOf(fields);
        fields = [];
      }
    }
  }
}

/** `name: value`; a comment is a field without a name. */
function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}

function eventOf(fields: [name: string, value: string][]): ServerEvent {
  const all = (wanted: string): string[] =>
    fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
  return { id: all('id').at(-1), type: all('event').at(-1) ?? 'message', data: all('data').join('\n') };
}
