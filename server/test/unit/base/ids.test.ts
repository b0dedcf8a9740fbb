import { expect, it } from 'vitest';
import { firstIdAt, isUuid, newId, newIdAfter, timeOfId } from '../../../src/base/ids.ts';

it('an id after another one is later, and what is made next is on the time of this process', () => {
  const earlier = newId();
  expect(newIdAfter(earlier) > earlier).toBe(true);
  // Of a process whose clock is an hour ahead.
  const ahead = firstIdAt(new Date(timeOfId(earlier) + 3_600_000));
  let previous = ahead;
  for (let count = 0; count < 5_000; count += 1) {
    const id = newIdAfter(previous);
    expect([id > previous, isUuid(id), id[14]]).toEqual([true, true, '7']);
    previous = id;
  }
  expect(timeOfId(previous) - timeOfId(ahead)).toBe(5_000);
  expect(newId() < ahead).toBe(true);
  // An id of another version has no time.
  expect(newIdAfter('ffffffff-ffff-4fff-8fff-ffffffffffff') < ahead).toBe(true);
});
