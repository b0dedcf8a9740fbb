/** A position in the event stream of a tenant: the `id` of an event. */
export interface Position {
  /** 0 until a backup is restored. Numbers after the backup are used again, in another epoch. */
  epoch: number;
  sequence: number;
}

const POSITION = /^(?:(\d{1,16})\.)?(\d{1,16})$/;

/** The bare sequence until the first restore, then `<epoch>.<sequence>`. */
export const positionText = (epoch: number, sequence: number): string =>
  epoch === 0 ? String(sequence) : `${epoch}.${sequence}`;

/** Reads a position; undefined if the text is none. */
export function readPosition(text: string): Position | undefined {
  const [, epoch = '0', sequence] = POSITION.exec(text) ?? [];
  const position = { epoch: Number(epoch), sequence: Number(sequence) };
  return Object.values(position).every(Number.isSafeInteger) ? position : undefined;
}
