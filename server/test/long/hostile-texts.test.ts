import { beforeEach, describe, expect, it } from 'vitest';
import { mailSignature } from '../../src/providers/smtp/signature.ts';
import { automationOf } from '../kit/automations.ts';
import { type Heartbeat, useHeartbeat } from '../kit/heartbeat.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

// Each of these inputs stopped the whole process for the time in the comment, again after every restart, or ended it.
// The bounds are a quarter of that: a slow processor must not break them, and a step back does.

const server = await useServer();
const SECRET = 'a secret of sixteen';
const ADA = '+15550001111';

let tenant: TestTenant;
let other: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
  other = await server.tenant();
});

/** Does everything that is due, while another tenant sends requests. Returns how many were answered. */
async function settleWhileOthersWork(): Promise<number> {
  let isSettled = false;
  const settled = server.settle().finally(() => {
    isSettled = true;
  });
  let answered = 0;
  while (!isSettled) {
    expect((await other.get('/v3/me')).status).toBe(200);
    answered += 1;
  }
  await settled;
  return answered;
}

async function mailChannel(of = tenant): Promise<string> {
  const answer = await of.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config: { from: 'help@shop.test', smtp: { host: '127.0.0.1', port: 25 }, inboundSecret: SECRET },
  });
  expect(answer.status).toBe(200);
  return answer.body.data.id;
}
async function postMail(channelId: string, mail: string): Promise<void> {
  const raw = Buffer.from(mail, 'latin1');
  const { status } = await server.call('POST', `/providers/smtp/${channelId}`, {
    raw,
    headers: { 'content-type': 'message/rfc822', 'x-parley-signature': mailSignature(raw, SECRET) },
  });
  expect(status).toBe(200);
}
const messagesOf = async (of: TestTenant) =>
  (await of.post('/v3/messages/search', { sortBy: 'asc(createdAt)' })).body.data as {
    text: string | null;
    sender: string;
  }[];

/** Runs an automation with one step on a message of this text. */
async function runStep(
  step: object,
  text = 'hello',
  steps: object[] = [],
): Promise<{ status: string; error: object }> {
  const channel = await tenant.channel();
  await automationOf(tenant, {
    trigger: { type: 'message_received', parameters: {} },
    steps: [{ id: 'hostile', ...step }, ...steps],
  });
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: ADA, text });
  await settleWhileOthersWork();
  const { body } = await tenant.post('/v3/automation_runs/search', {});
  const [{ id }] = body.data;
  return (await tenant.get(`/v3/automation_runs/${id}`)).body.data;
}
const expectAlive = async (heart: Heartbeat, maxGapMs: number): Promise<void> => {
  expect(heart.longestGapMs()).toBeLessThan(maxGapMs);
  // The tenant itself goes on as well.
  expect((await tenant.get('/v3/me')).status).toBe(200);
};

describe('X1: a hostile mail', () => {
  it.each([
    // 12 to 33 s
    [
      'in UTF-7',
      `From: ada@example.com\r\nContent-Type: text/plain; charset=utf-7\r\n\r\n${'+AOk-'.repeat(1_000_000)}`,
    ],
    [
      'of UTF-7 that never ends',
      `From: ada@example.com\r\nContent-Type: text/plain; charset=utf-7\r\n\r\n+${'AOkA'.repeat(1_250_000)}`,
    ],
    // 24 s
    ['to groups of groups', `From: ada@example.com\r\nTo: ${'g:'.repeat(300_000)}\r\n\r\nhello`],
    ['to folded groups', `From: ada@example.com\r\nTo: ${'g:\r\n '.repeat(100_000)}\r\n\r\nhello`],
    [
      'with a part to groups',
      `From: ada@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nTo: ${'g:'.repeat(300_000)}\r\n\r\nhi\r\n--b\r\n\r\nhello\r\n--b--\r\n`,
    ],
  ])('%s becomes a message, and I1: nobody else waits for it', async (_, mail) => {
    const channelId = await mailChannel();
    await postMail(channelId, mail);
    const heart = useHeartbeat();
    await settleWhileOthersWork();
    await expectAlive(heart, 3_000);
    expect(await messagesOf(tenant)).toMatchObject([{ sender: 'inbound' }]);
  });
});

describe('X2: hostile Liquid', () => {
  const send = (text: string) => ({ type: 'send_message', parameters: { text } });
  const capture = Array.from(
    { length: 9 },
    (_, n) => `{% capture c${n + 1} %}${`{{ c${n} }}`.repeat(9)}{% endcapture %}`,
  ).join('');
  it.each([
    // 22 s
    ['loops', '{% for a in (1..4000) %}{% for b in (1..4000) %}{{ b }}{% endfor %}{% endfor %}'],
    ['silent loops', '{% for a in (1..100000) %}{% for b in (1..100000) %}{% endfor %}{% endfor %}'],
    // FATAL: allocation failed, again after each start
    ['captures in captures', `{% assign c0 = "${'x'.repeat(500)}" %}${capture}{{ c9 }}`],
    ['doubling', `{% assign s = "x" %}${'{% assign s = s | append: s %}'.repeat(60)}{{ s }}`],
    [
      'doubling arrays',
      `{% assign s = "x,y" | split: "," %}${'{% assign s = s | concat: s %}'.repeat(60)}{{ s }}`,
    ],
    [
      'arrays of long texts',
      `{% assign s = "x" %}${'{% assign s = s | append: s %}'.repeat(19)}{% assign a = "" | split: "," %}{% for i in (1..2000) %}{% assign a = a | push: s %}{% endfor %}{{ a | join: "" }}{{ a }}`,
    ],
    [
      'replacing',
      `{% assign s = "x" %}${'{% assign s = s | append: s %}'.repeat(18)}{{ s | replace: "x", s }}`,
    ],
    ['large ranges', '{{ (1..900000000) | join: "" }}'],
  ])('of %s fails its run alone, and I1: nobody else waits for it', async (_, text) => {
    const heart = useHeartbeat();
    const run = await runStep(send(text));
    await expectAlive(heart, 5_000);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'liquid_error' } });
  });

  it.each([
    'where_exp',
    'find_exp',
    'find_index_exp',
    'group_by_exp',
    'has_exp',
    'reject_exp',
  ])('with the filter %s is refused when it is saved', async (filter) => {
    const text = `{{ (1..9) | ${filter}: "a", "a == 1" }}`;
    const answer = await tenant.post('/v3/automations', {
      name: 'Hostile',
      trigger: { type: 'api' },
      steps: [{ id: 'a', type: 'send_message', parameters: { text } }],
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining(`undefined filter: ${filter}`),
    ]);
  });

  it('does not hold up a text that takes a thread as well', async () => {
    const channel = await tenant.channel();
    await automationOf(tenant, {
      trigger: { type: 'message_received', parameters: {} },
      steps: [
        { id: 'a', ...send('{% for a in (1..100000) %}{% for b in (1..100000) %}{% endfor %}{% endfor %}') },
      ],
    });
    const theirs = await other.channel();
    await automationOf(other, {
      trigger: { type: 'message_received', parameters: {} },
      steps: [{ id: 'a', ...send('{% for a in (1..3) %}{{ a }}{% endfor %}') }],
    });
    for (let n = 0; n < 3; n++)
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: `+1555000111${n}`, text: 'hello' });
    await other.post(`/v3/sandbox/${theirs.id}/inbound`, { from: ADA, text: 'hello' });
    const settled = server.settle();
    let waiting = true;
    void settled.finally(() => {
      waiting = false;
    });
    let isFirst = false;
    while (waiting && !isFirst) {
      const sent = await messagesOf(other);
      isFirst = sent.some(({ text }) => text === '123');
    }
    // All of the hostile tenant's runs together take over 3 s.
    expect([isFirst, waiting]).toEqual([true, true]);
    await settled;
  });
});

describe('X3: a branch with many conditions on a long text', () => {
  it('chooses its case, and I1: nobody else waits for it', async () => {
    // 39 s: each condition folded the text again.
    const words = (n: number) =>
      Array.from({ length: 100 }, (_, m) => `contains(message.text,"ab${n}x${m}")`);
    const cases = Array.from({ length: 48 }, (_, n) => ({ when: `or(${words(n).join(',')})`, next: 'no' }));
    const heart = useHeartbeat();
    const run = await runStep(
      {
        type: 'branch',
        parameters: { cases: [...cases, { when: 'contains(message.text,"É!")', next: 'yes' }] },
      },
      `${'Äb'.repeat(32_000)}é!`,
      [
        { id: 'no', type: 'end' },
        { id: 'yes', type: 'end' },
      ],
    );
    await expectAlive(heart, 5_000);
    expect(run).toMatchObject({
      status: 'completed',
      trace: [{ step: 'hostile', detail: { case: 48 } }, { step: 'yes' }],
    });
  });

  it('fails its run alone if a text is made to be compared for long', async () => {
    const when = (n: number) => {
      const part = `"${'a'.repeat(45)}b"`;
      return `or(${Array.from({ length: 55 }, () => `contains(message.text,${part})`).join(',')},eq(message.text,"${n}"))`;
    };
    const cases = Array.from({ length: 40 }, (_, n) => ({ when: when(n), next: 'no' }));
    const heart = useHeartbeat();
    const run = await runStep({ type: 'branch', parameters: { cases } }, 'a'.repeat(64_000), [
      { id: 'no', type: 'end' },
    ]);
    await expectAlive(heart, 5_000);
    expect(['completed', 'failed']).toContain(run.status);
    if (run.status === 'failed') expect(run).toMatchObject({ error: { code: 'condition_error' } });
  });

  it('does not count the characters of a text that is clearly too long', async () => {
    const { body } = await tenant.post('/v3/contacts', { phoneNumber: ADA });
    const heart = useHeartbeat();
    const answer = await tenant.post('/v3/message_templates', {
      name: 'long',
      language: 'en',
      category: 'utility',
      channelId: body.data.id,
      body: '😀'.repeat(200_000),
    });
    expect(answer.status).toBe(400);
    await expectAlive(heart, 1_000);
  });
});

describe('X6: a recurrence rule', () => {
  it.each([
    // 2 to 8 s
    'FREQ=MONTHLY;BYDAY=5MO;BYSETPOS=2',
    'FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=-2',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=1MO',
    'FREQ=YEARLY;INTERVAL=999',
    'FREQ=YEARLY;INTERVAL=3;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO,TU;BYSETPOS=2',
    'FREQ=WEEKLY;INTERVAL=1000',
  ])('%s without an occurrence in ten years is refused when it is saved', async (rrule) => {
    const heart = useHeartbeat();
    const answer = await tenant.post('/v3/automations', {
      name: 'Never',
      trigger: { type: 'schedule', parameters: { rrule, audience: 'eq(firstName,"Ada")' } },
      steps: [{ id: 'a', type: 'end' }],
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining('no occurrence within ten years'),
    ]);
    await expectAlive(heart, 500);
  });

  it('with 2,000 exceptions is refused when it is saved', async () => {
    const channel = await tenant.channel();
    const automationId = await automationOf(tenant, { trigger: { type: 'campaign', parameters: {} } });
    const times = (year: number) =>
      Array.from({ length: 250 }, (_, n) => `${year}0101T${String(n % 24).padStart(2, '0')}0000Z`).join(',');
    const heart = useHeartbeat();
    const answer = await tenant.post('/v3/campaigns', {
      name: 'Many',
      channelId: channel.id,
      automationId,
      recurrenceRules: [
        'RRULE:FREQ=MINUTELY;INTERVAL=15',
        ...Array.from({ length: 8 }, (_, n) => `EXDATE:${times(2027 + n)}`),
      ],
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining('at most 500 EXDATE times, received 2000'),
    ]);
    await expectAlive(heart, 500);
  });

  it.each([
    'FREQ=HOURLY;BYMINUTE=0,15,30,45;COUNT=100000',
    'FREQ=DAILY;BYMONTH=1;BYDAY=MO;BYHOUR=0,1,2,3,4,5;BYMINUTE=0,15,30,45;COUNT=100000',
    'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,2,3,4,5,6,7,8,9,10;BYMINUTE=0,20,40;COUNT=100000',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  ])('%s is planned at once, also years after its start', async (rrule) => {
    const heart = useHeartbeat();
    const id = await automationOf(tenant, {
      trigger: { type: 'schedule', parameters: { rrule, audience: 'eq(firstName,"Ada")' } },
    });
    await server.system.db.query(
      `update automations set schedule_start = now() - interval '2 years', due_at = '-infinity', next_at = '2020-01-01' where id = $1`,
      [id],
    );
    await server.settle();
    const { rows } = await server.system.db.query('select next_at from automations where id = $1', [id]);
    expect(rows[0]?.next_at).not.toBeNull();
    await expectAlive(heart, 500);
  });
});

describe('the metrics of worker threads', () => {
  it('show those that were ended because of a text', async () => {
    const count = async (): Promise<number> =>
      Number(
        /parley_task_threads_killed_total\{reason="expired"\} (\d+)/.exec(
          (await server.call('GET', '/metrics')).text,
        )?.[1],
      );
    const before = await count();
    // A list that exists takes no memory, however often it is read.
    const list = Array.from({ length: 1000 }, () => 1);
    await tenant.post('/v3/contacts', { phoneNumber: ADA, metadata: { list } });
    const loops = ['a', 'b', 'c'].map((name) => `{% for ${name} in contact.metadata.list %}`).join('');
    await runStep({
      type: 'send_message',
      parameters: { text: `${loops}${'{% endfor %}'.repeat(3)}` },
    });
    // Once, and once more with five times the deadline.
    expect((await count()) - before).toBe(2);
    const { text } = await server.call('GET', '/metrics');
    expect(text).toContain('parley_task_threads{state="busy"} 0');
    expect(text).toContain('parley_tasks_waiting 0');
  });
});
