import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { countDeadlocks } from '../../src/db/deadlocks.ts';
import { automationOf, smallest } from '../kit/automations.ts';
import { execution, workerDatabase } from '../kit/execution.ts';
import { usePerson } from '../kit/people.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;

let tenant: TestTenant;
let channelId: string;
beforeEach(async () => {
  tenant = await server.tenant();
  channelId = (await tenant.channel('sms')).id;
});

const dataOf = ({ status, body }: Answer) => {
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
};
let users = 0;
let teams = 0;
const user = async (more: object = {}): Promise<string> => {
  users += 1;
  const body = { name: `P${users}`, email: `p${users}@example.com`, role: 'agent', ...more };
  return dataOf(await tenant.post('/v3/users', body)).id;
};
const team = async (userIds: string[]): Promise<string> => {
  teams += 1;
  return dataOf(await tenant.post('/v3/teams', { name: `Team ${teams}`, userIds })).id;
};
const stepFor = (teamId: string, more: object = {}) => ({
  id: 'assign',
  type: 'assign',
  parameters: { teamId, strategy: 'round_robin', ...more },
});
const assignTo = (teamId: string, more: object = {}) =>
  automationOf(tenant, {
    ...smallest,
    trigger: { type: 'message_received' },
    steps: [stepFor(teamId, more)],
  });
let customers = 0;
const customer = () => {
  customers += 1;
  return `+1555${String(3_000_000 + customers)}`;
};
const arrive = async (count: number) => {
  for (let index = 0; index < count; index += 1) {
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: customer(), text: 'Hi' });
    await server.settle();
  }
};
/** Who has the chats, the oldest first. */
const assigned = async (): Promise<(string | null)[]> => {
  const found = await tenant.post('/v3/chats/search', {
    sortBy: 'asc(createdAt)',
    pagination: { limit: 100 },
  });
  return dataOf(found).map((chat: { assignedUserId: string | null }) => chat.assignedUserId);
};
const lastRun = async () => {
  const [run] = dataOf(await tenant.post('/v3/automation_runs/search', {}));
  return dataOf(await tenant.get(`/v3/automation_runs/${run.id}`));
};

describe('assigning in turn', () => {
  it('gives each member a chat before anybody gets a second one', async () => {
    const members = [await user(), await user(), await user()];
    const teamId = await team(members);
    await assignTo(teamId);
    await arrive(7);
    const turns = await assigned();
    expect(turns).toEqual([...members, ...members, members[0]]);
    expect(await lastRun()).toMatchObject({
      status: 'completed',
      trace: [{ detail: { teamId, strategy: 'round_robin', userId: members[0] } }],
    });
  });

  it('leaves out who is away, only looks on, does not see the channel, or was removed', async () => {
    const [here, away, viewer, restricted, removed] = [
      await user(),
      await user(),
      await user({ role: 'viewer' }),
      await user({ access: 'teams' }),
      await user(),
    ];
    const teamId = await team([here, away, viewer, restricted, removed]);
    await assignTo(teamId);
    dataOf(await tenant.put(`/v3/users/${away}`, { isAway: true }));
    dataOf(await tenant.delete(`/v3/users/${removed}`));
    await arrive(2);
    expect(await assigned()).toEqual([here, here]);
    dataOf(await tenant.put(`/v3/users/${away}`, { isAway: false }));
    dataOf(await tenant.put(`/v3/teams/${teamId}`, { channelIds: [channelId] }));
    await arrive(2);
    expect((await assigned()).slice(2).sort()).toEqual([away, restricted].sort());
  });

  it('leaves out members with as many open chats as allowed, until they close one', async () => {
    const [one, two] = [await user(), await user()];
    const teamId = await team([one, two]);
    await assignTo(teamId, { maxOpenChats: 1 });
    await arrive(3);
    expect(await assigned()).toEqual([one, two, null]);
    expect(await lastRun()).toMatchObject({
      status: 'completed',
      trace: [{ detail: { userId: null, reason: 'all_at_limit' } }],
    });
    const chats = dataOf(await tenant.post('/v3/chats/search', { sortBy: 'asc(createdAt)' }));
    expect(chats[2]).toMatchObject({ assignedTeamId: teamId });
    dataOf(await tenant.post(`/v3/chats/${chats[1].id}/status`, { status: 'closed' }));
    await arrive(1);
    expect((await assigned())[3]).toBe(two);
  });

  it.each([
    ['no_members', async () => []],
    ['nobody_available', async () => [await user({ role: 'viewer' })]],
  ])('leaves the chat to the team, with the reason %s', async (reason, members) => {
    const teamId = await team(await members());
    await assignTo(teamId);
    await arrive(1);
    expect(await assigned()).toEqual([null]);
    expect((await lastRun()).trace[0].detail).toEqual({
      teamId,
      strategy: 'round_robin',
      userId: null,
      reason,
    });
  });

  it('leaves a chat with the member who has it, without using up a turn', async () => {
    const members = [await user(), await user()];
    const teamId = await team(members);
    const again = { trigger: { type: 'message_received', parameters: { evenIfAssigned: true } } };
    await automationOf(tenant, { ...smallest, ...again, steps: [stepFor(teamId)] });
    const from = customer();
    for (let count = 0; count < 3; count += 1) {
      await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'Hi' });
      await server.settle();
    }
    await arrive(1);
    expect(await assigned()).toEqual(members);
  });

  it('is fair, however members come and go: those who are there all the time differ by one chat', async () => {
    const actions = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constant('chat') }, fc.integer({ min: 0, max: 1 })),
      {
        minLength: 10,
        maxLength: 25,
      },
    );
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        tenant = await server.tenant();
        channelId = (await tenant.channel('sms')).id;
        const stay = [await user(), await user()];
        const change = [await user(), await user()];
        await assignTo(await team([...stay, ...change]));
        const away = new Set<number>();
        for (const step of steps) {
          if (step === 'chat') {
            await arrive(1);
            continue;
          }
          if (!away.delete(step)) away.add(step);
          await tenant.put(`/v3/users/${change[step]}`, { isAway: away.has(step) });
        }
        const turns = await assigned();
        const counts = stay.map((id) => turns.filter((one) => one === id).length);
        expect(Math.abs((counts[0] ?? 0) - (counts[1] ?? 0))).toBeLessThanOrEqual(1);
        expect(turns).not.toContain(null);
      }),
      { numRuns: 5 },
    );
  }, 60_000);

  it('is fair in a burst of 200 chats that two processes work on, without deadlocks', async () => {
    const members = await Promise.all(Array.from({ length: 7 }, () => user()));
    const [teamId, otherId] = [await team(members), await team(members.slice(0, 2))];
    const other = { ...stepFor(otherId), id: 'other' };
    // In both orders, which would deadlock if each took the team when it came to it.
    for (const [label, steps] of [
      ['a', [stepFor(teamId), other]],
      ['b', [other, stepFor(teamId)]],
    ] as const)
      await automationOf(tenant, {
        ...smallest,
        trigger: { type: 'message_received', parameters: { keywords: [label], evenIfAssigned: true } },
        steps: [{ id: 'wait', type: 'wait', parameters: { for: 'PT1H' } }, ...steps],
      });
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: customer(), text: index % 2 ? 'a' : 'b' }),
      ),
    );
    const before = await countDeadlocks(db);
    const workers = [1, 2].map(() => execution(server, workerDatabase(server), tenant));
    await server.settle();
    server.clock.advance(3600_000);
    await Promise.all(workers.map(({ settle }) => settle()));
    const { rows } = await db.query(
      `select t.detail ->> 'userId' as user_id, count(*)::int as count from run_trace t
        where t.tenant_id = $1 and t.detail ->> 'teamId' = $2 and t.detail ->> 'isKept' is null group by 1`,
      [tenant.id, teamId],
    );
    const counts = rows.map(({ count }) => Number(count));
    expect(counts.length).toBe(7);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(await countDeadlocks(db)).toEqual(before);
  }, 60_000);

  it.each([
    [{ strategy: 'round_robin' }, 'teamId'],
    [{ strategy: 'round_robin', teamId: null }, 'teamId'],
    [{ strategy: 'random' }, 'strategy'],
    [{ strategy: 'round_robin', userId: null }, 'userId'],
    [{ maxOpenChats: 3 }, 'maxOpenChats'],
    [{ strategy: 'round_robin', maxOpenChats: 0 }, 'maxOpenChats'],
  ])('refuses %j and names %s', async (parameters, name) => {
    const teamId = await team([await user()]);
    const step = {
      id: 'assign',
      type: 'assign',
      parameters: name === 'teamId' ? parameters : { teamId, ...parameters },
    };
    const answer = await tenant.post('/v3/automations', { ...smallest, steps: [step] });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.error.invalidParams)).toContain(`steps.0.parameters.${name}`);
  });

  it('is tried out by a dry run, which uses up no turn', async () => {
    const members = [await user(), await user()];
    const id = await assignTo(await team(members));
    await arrive(1);
    const [{ contactId }] = dataOf(await tenant.post('/v3/chats/search', {}));
    await tenant.put(`/v3/users/${members[0]}`, { isAway: true });
    for (let count = 0; count < 2; count += 1) {
      const body = { contactId, message: { text: 'Hi' } };
      const run = dataOf(await tenant.post(`/v3/automations/${id}/dry_run`, body));
      expect(run.trace[0].output.userId).toBe(members[1]);
    }
  });

  it('is tried out in as many chats as the run has, each for the next member', async () => {
    const members = [await user(), await user()];
    const teamId = await team(members);
    const { id: otherId } = await tenant.channel('sms');
    const assignAgain = { ...stepFor(teamId), id: 'again' };
    const write = { id: 'write', type: 'send_message', parameters: { text: 'Hi', channelId: otherId } };
    const id = await automationOf(tenant, { ...smallest, steps: [stepFor(teamId), write, assignAgain] });
    await arrive(1);
    const [{ id: chatId, contactId }] = dataOf(await tenant.post('/v3/chats/search', {}));
    const run = dataOf(await tenant.post(`/v3/automations/${id}/dry_run`, { contactId, chatId }));
    expect([run.trace[0].output.userId, run.trace[2].output.userId]).toEqual(members);
  });

  it('is tried out while others take turns: a simulation takes no lock that runs wait for', async () => {
    const members = [await user(), await user()];
    const teamId = await team(members);
    const id = await assignTo(teamId);
    await arrive(1);
    const hello = { id: 'hello', type: 'send_message', parameters: { text: 'Hello' } };
    const automationId = await automationOf(tenant, { ...smallest, steps: [hello, stepFor(teamId)] });
    const [{ contactId }] = dataOf(await tenant.post('/v3/chats/search', {}));
    await tenant.put(`/v3/users/${members[0]}`, { isAway: true });
    await workerDatabase(server).systemTransaction(async (tx) => {
      await tx.query('select id from teams where tenant_id = $1 for no key update', [tenant.id]);
      await tx.query('select user_id from team_members where tenant_id = $1 for no key update', [tenant.id]);
      const dryRun = await tenant.post(`/v3/automations/${id}/dry_run`, {
        contactId,
        message: { text: 'x' },
      });
      expect(dataOf(dryRun).trace[0].output.userId).toBe(members[1]);
      const contacts = [{ phoneNumber: customer() }];
      const preview = await tenant.post('/v3/campaigns/preview', { channelId, automationId, contacts });
      expect(dataOf(preview).samples).toMatchObject([{ messages: [{ text: 'Hello' }], error: null }]);
    });
  });
});

describe('somebody who has logged in', () => {
  it('says whether they are away; a token says of whom', async () => {
    const agent = await usePerson(server, tenant, 'agent');
    const said = await agent.call('PUT', '/v3/me/availability', { body: { isAway: true } });
    expect(dataOf(said)).toMatchObject({ isAway: true });
    expect(dataOf(await tenant.get(`/v3/users/${said.body.data.id}`)).isAway).toBe(true);
    const refused = await tenant.put('/v3/me/availability', { isAway: true });
    expect([refused.status, refused.body.error.messageKey]).toEqual([400, 'invalid_body_params']);
    const { id } = said.body.data;
    const back = await tenant.put('/v3/me/availability', { isAway: false, userId: id });
    expect(dataOf(back)).toMatchObject({ id, isAway: false });
    const other = await usePerson(server, tenant, 'agent');
    const foreign = await other.call('PUT', '/v3/me/availability', { body: { isAway: true, userId: id } });
    expect(foreign.status).toBe(400);
    const viewer = await usePerson(server, tenant, 'viewer');
    expect((await viewer.call('PUT', '/v3/me/availability', { body: { isAway: true } })).status).toBe(403);
  });
});
