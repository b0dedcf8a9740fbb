import { ParleyError } from './error.ts';

/** One block of server-sent events. Without data it only tells a position. */
export interface Block {
  id?: string;
  data?: string;
  /** How long a client should wait before it connects again. */
  retryMs?: number;
}

/** More characters than an event can have. */
const MAX_BLOCK = 16 * 1024 * 1024;

const tooLong = (): ParleyError =>
  new ParleyError({
    status: 200,
    messageKey: 'unexpected_answer',
    message: 'An event of the stream is too long.',
  });

/** Returns a function that takes texts as they arrive and returns the blocks that are complete with it. */
export function blockReader(): (text: string) => Block[] {
  let rest: string[] = [];
  let lines: string[] = [];
  let size = 0;
  return (text) => {
    size += text.length;
    const pieces = text.split('\n');
    const complete: Block[] = [];
    for (const piece of pieces.slice(0, -1)) {
      const line = [...rest, piece].join('').replace(/\r$/, '');
      rest = [];
      if (line !== '') lines.push(line);
      else {
        if (lines.length > 0) complete.push(blockOf(lines));
        lines = [];
        size = 0;
      }
    }
    rest.push(pieces.at(-1) as string);
    if (size > MAX_BLOCK) throw tooLong();
    return complete;
  };
}

/** `name: value`; a comment has no name. */
function blockOf(lines: string[]): Block {
  const block: Block = {};
  for (const line of lines) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'id') block.id = value;
    if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    if (name === 'retry' && /^\d+$/.test(value)) block.retryMs = Number(value);
  }
  return block;
}
