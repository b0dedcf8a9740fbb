import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import type { AdapterChannel } from '../../src/providers/adapter-channel.ts';
import type { MailboxCursor } from '../../src/providers/mailbox.ts';
import { smtp } from '../../src/providers/smtp/smtp.ts';
import { useAdapterContext } from '../kit/adapter-context.ts';
import { mailWith, useImap } from '../kit/imap.ts';
import { useRelay } from '../kit/relay.ts';
import { hasOpenssl, selfSigned } from '../kit/self-signed.ts';

const imap = await useImap();
const relay = await useRelay();
const context = useAdapterContext();

const channelOf = (more: object = {}, port = imap.port): AdapterChannel => ({
  id: newId(),
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'email',
  address: 'help@shop.test',
  config: smtp.configure(
    {
      from: 'help@shop.test',
      smtp: { host: '127.0.0.1', port: relay.port },
      imap: { host: '127.0.0.1', port, user: 'ada', password: 'right', ...more },
    },
    {},
  ),
});
const channel = channelOf();
const receive = async (cursor: MailboxCursor | null, at = channel, within = context) => {
  const opened = await smtp.openMailbox?.(at, within);
  if (!opened) throw new Error('nothing');
  const received = await opened.read(cursor, { isTimeUp: () => false, refusals: () => 0 });
  await opened.close();
  return {
    ...received,
    subjects: received.requests.map(({ body }) => /^Subject: (.*)\r$/m.exec(body.toString())?.[1]),
  };
};
/** The tests share the mailbox: each starts at its end. */
let cursor: MailboxCursor;
beforeEach(async () => {
  ({ cursor } = await receive(null));
  imap.said.length = 0;
});

describe('a mailbox', () => {
  it('returns only new mails, each once', async () => {
    imap.deliver(mailWith('old'));
    const first = await receive(null);
    expect(first).toMatchObject({ requests: [], more: false });
    expect(await receive(first.cursor)).toEqual({ ...first, subjects: [] });
    imap.deliver(mailWith('one'), mailWith('two'));
    const second = await receive(first.cursor);
    expect(second).toMatchObject({
      subjects: ['one', 'two'],
      cursor: { uidValidity: first.cursor.uidValidity, uid: first.cursor.uid + 2 },
      more: false,
    });
    expect((await receive(second.cursor)).subjects).toEqual([]);
  });

  it('returns mails byte for byte, and marks none as seen', async () => {
    const mail = Buffer.concat([
      Buffer.from('From: a@b.c\r\n\r\n'),
      Buffer.from([0x80, 0xff, 0x0d, 0x0a, 0x29]),
    ]);
    imap.deliver(mail);
    const [request] = (await receive(cursor)).requests;
    expect(request?.body.equals(mail)).toBe(true);
    expect(imap.said.some((line) => /^(SELECT|STORE|UID STORE|UID FETCH.* BODY\[)/.test(line))).toBe(false);
    expect(imap.said.filter((line) => line.startsWith('EXAMINE'))).toHaveLength(1);
    expect(imap.said.at(-1)).toBe('LOGOUT');
  });

  it('that was created again is read from its end on', async () => {
    imap.deliver(mailWith('three'));
    imap.renumber(8);
    const afterReset = await receive(cursor);
    expect(afterReset).toMatchObject({ requests: [], cursor: { uidValidity: 8 } });
    imap.deliver(mailWith('four'));
    expect((await receive(afterReset.cursor)).subjects).toEqual(['four']);
  });

  it('returns many mails in parts', async () => {
    imap.deliver(...Array.from({ length: 120 }, (_, number) => mailWith(String(number))));
    const seen: unknown[] = [];
    const counts: number[] = [];
    for (let more = true; more; ) {
      const part = await receive(cursor);
      seen.push(...part.subjects);
      counts.push(part.subjects.length);
      ({ cursor, more } = part);
    }
    expect(counts).toEqual([50, 50, 20]);
    expect(seen).toEqual(Array.from({ length: 120 }, (_, number) => String(number)));
  });

  it('continues after deleted mails', async () => {
    imap.deliver(mailWith('gone'), mailWith('kept'), mailWith('gone'));
    imap.remove(cursor.uid + 1);
    imap.remove(cursor.uid + 3);
    const received = await receive(cursor);
    expect(received).toMatchObject({ subjects: ['kept'], cursor: { uid: cursor.uid + 3 } });
  });

  it('returns only the headers of a huge mail', async () => {
    imap.deliver(mailWith('enormous'));
    imap.claimSize(41 * 1024 * 1024);
    const { requests, subjects } = await receive(cursor);
    imap.claimSize(undefined);
    expect(subjects).toEqual(['enormous']);
    expect(requests[0]?.body.toString()).toMatch(/Subject: enormous\r\n\r\n$/);
  });
});

describe('a mailbox that cannot be read', () => {
  it('because of the password, its name, or the connection has an error', async () => {
    await expect(receive(cursor, channelOf({ password: 'wrong' }))).rejects.toThrow(
      /could not be read: .*wrong password/,
    );
    await expect(receive(cursor, channelOf({ mailbox: 'Nowhere' }))).rejects.toThrow('no such mailbox');
    await expect(receive(cursor, channelOf({}, 1))).rejects.toThrow('ECONNREFUSED');
    imap.next('cut at login');
    await expect(receive(cursor)).rejects.toThrow('could not be read');
    imap.deliver(mailWith('later'));
    imap.next('cut at fetch');
    await expect(receive(cursor)).rejects.toThrow('could not be read');
    expect((await receive(cursor)).subjects).toEqual(['later']);
  });

  it('is never read compressed, though the server offers it', async () => {
    await receive(cursor);
    expect(imap.said.length).toBeGreaterThan(2);
    expect(imap.said.filter((line) => line.includes('COMPRESS'))).toEqual([]);
  });

  it('because its address is forbidden is not connected to', async () => {
    const guarded = useAdapterContext({
      allow: parseAllowList(''),
      loopback: false,
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const before = imap.connections();
    for (const [host, phase] of [
      ['127.0.0.1', 'refused'],
      ['127.1', 'refused'],
      ['localhost', 'refused'],
      // Like a name that does not exist: what a name resolves to is not revealed.
      ['rebound.example', 'lookup'],
    ] as const)
      await expect(receive(cursor, channelOf({ host }), guarded)).rejects.toMatchObject({ phase });
    expect(imap.connections()).toBe(before);
  });

  it('is found by a check, with the problem', async () => {
    expect(await smtp.check(channel, context)).toEqual([]);
    expect(await smtp.check(channelOf({ password: 'wrong' }), context)).toMatchObject([
      { path: 'config.imap', message: expect.stringContaining('wrong password') },
    ]);
  });
});

describe.runIf(hasOpenssl)('a mailbox behind TLS', async () => {
  const secure = await useImap({ tls: selfSigned('mail.test') });
  const named = useAdapterContext({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
  const behind = channelOf({ host: 'mail.test', secure: true }, secure.port);

  it('is connected to at the validated address, with its name', async () => {
    // The certificate of the test is self-signed. Node reads this setting whenever it connects.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await receive(null, behind, named)).toMatchObject({ cursor: { uid: 0 } });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(secure.servername()).toBe('mail.test');
  });

  it('gets no password if its certificate is of another name', async () => {
    secure.said.length = 0;
    await expect(receive(null, behind, named)).rejects.toThrow('self-signed certificate');
    expect(secure.said).toEqual([]);
  });
});
