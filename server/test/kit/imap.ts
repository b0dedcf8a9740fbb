import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { type Listener, useTcpServer, useTlsServer } from './listeners.ts';

export interface ImapServer extends Listener {
  /** Every command of the clients, one per line, without their passwords. */
  said: string[];
  /** The server name that the last client asked for in TLS. */
  servername(): string | undefined;
  /** Puts a mail into the mailbox. */
  deliver(...mails: (string | Buffer)[]): void;
  remove(uid: number): void;
  /** How the server answers from now on to a client that wants this mail, which it lists; undefined: with the mail. */
  withhold(uid: number, how: 'NO' | 'nothing' | 'end' | undefined): void;
  /** The size that the server reports for every mail, instead of the real one. */
  claimSize(size: number | undefined): void;
  /** Gives every mail another id, as after the mailbox was restored. */
  renumber(uidValidity: number): void;
  /** Runs once, while a client waits for mails. */
  duringFetch(task: () => Promise<unknown>): void;
  /** Clients that wait for mail get the number of mails, though it has not changed. */
  announce(): void;
  /** What happens once, to the next client. */
  next(issue: 'cut at login' | 'cut at fetch' | 'no such mailbox' | 'end of idle'): void;
  /** How many clients wait for mail. */
  waiting(): number;
}

interface ImapOptions {
  tls?: TlsOptions;
  /** Whether the server announces new mail to clients that wait for it. */
  hasIdle?: boolean;
  /** Logs users in by access token (XOAUTH2), and not by password. */
  isToken?: (token: string) => boolean;
}

interface Mail {
  uid: number;
  bytes: Buffer;
}

/** As much of IMAP as reading one mailbox needs: `INBOX`, for the user ada with the password right or a valid token. */
export async function useImap({ tls, hasIdle = false, isToken }: ImapOptions = {}): Promise<ImapServer> {
  const said: string[] = [];
  let mails: Mail[] = [];
  let uidValidity = 7;
  let uidNext = 1;
  let issue: string | undefined;
  let servername: string | undefined;
  let claimed: number | undefined;
  const withheld = new Map<number, 'NO' | 'nothing' | 'end'>();
  let during: (() => Promise<unknown>) | undefined;
  /** The clients in IDLE, each with a function that writes the number of mails. */
  const waiting = new Set<() => void>();
  const announce = (): void => {
    for (const writeCount of waiting) writeCount();
  };
  const take = (wanted: string): boolean => {
    if (issue !== wanted) return false;
    issue = undefined;
    return true;
  };

  const select = (set: string): Mail[] => {
    const [from = '', to = from] = set.split(':');
    const last = mails.at(-1)?.uid ?? 0;
    const bounds = [from, to].map((bound) => (bound === '*' ? last : Number(bound))) as [number, number];
    const [low, high] = bounds.sort((a, b) => a - b) as [number, number];
    return mails.filter(({ uid }) => uid >= low && uid <= high);
  };

  function onConnection(socket: Socket): void {
    servername = (socket as { servername?: string }).servername || undefined;
    socket.on('error', () => {});
    const write = (...lines: string[]): void => void socket.write(`${lines.join('\r\n')}\r\n`, 'latin1');
    const answerFetch = (args: string): void => {
      const [, set = '', items = ''] = /^(\S+) \(?(.*?)\)?$/.exec(args) ?? [];
      const isContent = items.includes('BODY.PEEK');
      for (const mail of select(set)) {
        if (isContent && withheld.has(mail.uid)) continue;
        const parts = [`UID ${mail.uid}`];
        if (items.includes('RFC822.SIZE')) parts.push(`RFC822.SIZE ${claimed ?? mail.bytes.length}`);
        const header = mail.bytes.subarray(0, mail.bytes.indexOf('\r\n\r\n') + 4);
        if (items.includes('BODY.PEEK[HEADER]'))
          parts.push(`BODY[HEADER] {${header.length}}\r\n${header.toString('latin1')}`);
        else if (items.includes('BODY.PEEK[]'))
          parts.push(`BODY[] {${mail.bytes.length}}\r\n${mail.bytes.toString('latin1')}`);
        write(`* ${mails.indexOf(mail) + 1} FETCH (${parts.join(' ')})`);
      }
    };
    const commands: Record<string, (tag: string, args: string) => unknown> = {
      CAPABILITY(tag) {
        const more = `${hasIdle ? ' IDLE' : ''}${isToken ? ' AUTH=XOAUTH2 LOGINDISABLED' : ''}`;
        write(`* CAPABILITY IMAP4rev1 COMPRESS=DEFLATE${more}`, `${tag} OK done`);
      },
      AUTHENTICATE(tag, args) {
        const [method = '', response = ''] = args.split(' ');
        const [user, token] = Buffer.from(response, 'base64')
          .toString()
          .split('\x01', 2)
          .map((field) => field.replace(/^(user=|auth=Bearer )/, ''));
        if (method.toUpperCase() !== 'XOAUTH2' || !isToken) write(`${tag} NO not this way`);
        else if (user === 'ada' && isToken(token ?? '')) write(`${tag} OK welcome`);
        else {
          write(`+ ${Buffer.from('{"status":"400","schemes":"bearer"}').toString('base64')}`);
          continued = () => write(`${tag} NO [AUTHENTICATIONFAILED] the token is not valid`);
        }
      },
      NOOP(tag) {
        write(`* ${mails.length} EXISTS`, `${tag} OK done`);
      },
      IDLE(tag) {
        write('+ idling');
        if (take('end of idle')) return write(`${tag} OK that was enough`);
        const writeCount = (): void => write(`* ${mails.length} EXISTS`);
        waiting.add(writeCount);
        const end = (): void => void waiting.delete(writeCount);
        socket.on('close', end);
        continued = (line) => {
          said.push(line.toUpperCase());
          end();
          write(`${tag} OK done`);
        };
      },
      LOGIN(tag, args) {
        if (take('cut at login')) socket.destroy();
        else if (/^"?ada"? "?right"?$/.test(args)) write(`${tag} OK welcome`);
        else write(`${tag} NO [AUTHENTICATIONFAILED] wrong password`);
      },
      LIST(tag) {
        write('* LIST (\\HasNoChildren) "/" INBOX', `${tag} OK done`);
      },
      EXAMINE(tag, args) {
        if (take('no such mailbox') || !/^"?INBOX"?$/.test(args))
          return write(`${tag} NO there is no such mailbox`);
        write(
          '* FLAGS (\\Seen)',
          `* ${mails.length} EXISTS`,
          `* OK [UIDVALIDITY ${uidValidity}] valid`,
          `* OK [UIDNEXT ${uidNext}] next`,
          `${tag} OK [READ-ONLY] done`,
        );
      },
      async UID(tag, args) {
        if (take('cut at fetch')) return void socket.destroy();
        const task = during;
        during = undefined;
        await task?.();
        const wanted = /^FETCH (\d+) .*BODY\.PEEK/i.exec(args)?.[1];
        const how = withheld.get(Number(wanted));
        if (how === 'end') return void socket.end('* BYE internal error\r\n');
        if (how === 'NO') return write(`${tag} NO internal error`);
        answerFetch(args.replace(/^FETCH /i, ''));
        write(`${tag} OK done`);
      },
      LOGOUT(tag) {
        write('* BYE bye', `${tag} OK done`);
        socket.end();
      },
    };
    let buffered = '';
    let continued: ((line: string) => void) | undefined;
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        if (continued) {
          const answer = continued;
          continued = undefined;
          answer(line);
          continue;
        }
        const [tag = '', name = '', ...args] = line.split(' ');
        const isLogin = /^(LOGIN|AUTHENTICATE)$/i.test(name);
        said.push(isLogin ? name.toUpperCase() : [name.toUpperCase(), ...args].join(' '));
        const command = commands[name.toUpperCase()];
        if (command) command(tag, args.join(' '));
        else write(`${tag} BAD ${name} is not known here`);
      }
    });
    write('* OK ready');
  }

  const listener = await (tls ? useTlsServer(tls, onConnection) : useTcpServer(onConnection));
  return {
    ...listener,
    said,
    servername: () => servername,
    deliver(...given) {
      for (const mail of given) mails.push({ uid: uidNext++, bytes: Buffer.from(mail as string) });
      announce();
    },
    announce,
    waiting: () => waiting.size,
    remove(uid) {
      mails = mails.filter((mail) => mail.uid !== uid);
    },
    withhold(uid, how) {
      if (how) withheld.set(uid, how);
      else withheld.delete(uid);
    },
    claimSize(size) {
      claimed = size;
    },
    renumber(given) {
      uidValidity = given;
      mails.forEach((mail, index) => {
        mail.uid = index + 1;
      });
      uidNext = mails.length + 1;
    },
    duringFetch(task) {
      during = task;
    },
    next(given) {
      issue = given;
    },
  };
}

/** A small mail with this text. */
export const mailWith = (text: string, id = text): string =>
  [`From: ada@example.com`, `Message-ID: <${id}@example.com>`, `Subject: ${text}`, '', text, ''].join('\r\n');
