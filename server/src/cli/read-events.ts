/** One block of server-sent events. Without data it is a sign of life that may still name the last id. */
export interface ServerEvent {
  id: string | undefined;
  type: string;
  data: string;
}

/** Reads server-sent events as they come; a block that was cut off in the middle is none. */
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
  const at = line.indexOf(':');
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
}

function eventOf(fields: [name: string, value: string][]): ServerEvent {
  const all = (wanted: string): string[] =>
    fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
  return { id: all('id').at(-1), type: all('event').at(-1) ?? 'message', data: all('data').join('\n') };
}
