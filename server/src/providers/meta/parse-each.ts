import type { InboundEvent } from '../inbound-event.ts';
import { type Part, partsOf } from './payload.ts';

/** The events in every element of a list. One that is invalid does not fail the others. */
export const parseEach = (list: unknown, parse: (part: Part) => InboundEvent[]): InboundEvent[] =>
  partsOf(list).flatMap((part) => {
    try {
      return parse(part);
    } catch (error) {
      return [{ kind: 'invalid', error: (error as Error).message }];
    }
  });
