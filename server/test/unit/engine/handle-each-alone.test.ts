import { expect, it } from 'vitest';
import { handleEachAlone } from '../../../src/engine/handle-each-alone.ts';
import { VendorFailure } from '../../../src/providers/vendor-failure.ts';

const errorWith = (code: string): Error => Object.assign(new Error(code), { code });

it.each([
  '53100',
  '53200',
  '58030',
  '57014',
  '40001',
  '55P03',
  'ENOSPC',
  'EMFILE',
])('an error for which no row is to blame (%s) counts for none', async (code) => {
  const failed: string[] = [];
  const handling = handleEachAlone(
    ['a', 'b'],
    () => Promise.reject(errorWith(code)),
    async (row) => void failed.push(row),
  );
  await expect(handling).rejects.toThrow(code);
  expect(failed).toEqual([]);
});

it.each([
  '22P05',
  '23514',
  '54000',
  '404',
  'ERR_INVALID_ARG_TYPE',
])('an error that a row causes (%s) counts for that row only', async (code) => {
  const failed: string[] = [];
  const outcome = await handleEachAlone(
    ['a', 'bad', 'c'],
    (rows) => (rows.includes('bad') ? Promise.reject(errorWith(code)) : Promise.resolve()),
    async (row) => void failed.push(row),
  );
  expect([outcome, failed]).toEqual(['failing', ['bad']]);
});

it('a code of a vendor is no trouble of the server', async () => {
  const failed: string[] = [];
  const fail = async (row: string) => void failed.push(row);
  await handleEachAlone(['a'], () => Promise.reject(new VendorFailure('53100', 'refused', true)), fail);
  expect(failed).toEqual(['a']);
});
