import { expect, it } from 'vitest';
import { type ContactTurns, inTurn } from '../../../../src/automations/runs/contact-turns.ts';
import { turn } from '../../../kit/scheduler.ts';

it('runs of a contact wait for those that were started before, also if these fail, and for no others', async () => {
  const turns: ContactTurns = new Map();
  const started: string[] = [];
  const ends: Record<string, { resolve(): void; reject(error: Error): void }> = {};
  const start = (name: string, contactIds: string[]): Promise<void> =>
    inTurn(turns, contactIds, () => {
      started.push(name);
      return new Promise((resolve, reject) => {
        ends[name] = { resolve, reject };
      });
    });
  const first = start('first', ['ada', 'grace']);
  const second = start('second', ['ada']);
  const third = start('third', ['ada', 'alan']);
  const other = start('other', ['edsger']);
  await turn();
  expect(started).toEqual(['first', 'other']);
  ends.first?.reject(new Error('no database'));
  await expect(first).rejects.toThrow('no database');
  await turn();
  expect(started).toEqual(['first', 'other', 'second']);
  ends.second?.resolve();
  await second;
  await turn();
  expect(started).toEqual(['first', 'other', 'second', 'third']);
  ends.third?.resolve();
  ends.other?.resolve();
  await Promise.all([third, other]);
  expect(turns.size).toBe(0);
});
