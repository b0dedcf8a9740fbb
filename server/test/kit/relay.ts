import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type Listener, useListener } from './listeners.ts';

interface Arrived {
  from: string;
  to: string[];
  mail: Buffer;
  secure: boolean;
  user: string | undefined;
}

export interface Relay extends Listener {
  arrived: Arrived[];
  /** What happens once: a broken connection, a refusal or another answer. */
  next(issue: Issue): void;
}

type Issue =
  | { at: 'mail' | 'rcpt' | 'data'; code: number; only?: string; text?: string }
  | { cut: 'greeting' | 'rcpt' | 'within the mail' | 'after the mail' }
  | { reply: string };

/** A real SMTP server that keeps the mails that it accepts. */
export async function useRelay(options: SMTPServerOptions = {}): Promise<Relay> {
  const arrived: Arrived[] = [];
  let issue: Issue | undefined;
  const cut = (): void => {
    for (const socket of listener.sockets) socket.destroy();
  };
  const take = (): Issue | undefined => {
    const now = issue;
    issue = undefined;
    return now;
  };
  const refusalAt = (at: 'mail' | 'rcpt' | 'data', address = ''): Error | null => {
    if (!issue || !('at' in issue) || issue.at !== at || (issue.only ?? address) !== address) return null;
    const { code, text = code < 500 ? 'try later' : 'not here' } = issue;
    take();
    return Object.assign(new Error(text), { responseCode: code });
  };
  const isCutAt = (at: string): boolean => issue !== undefined && 'cut' in issue && issue.cut === at;

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === 'ada' && password === 'right') done(null, { user: username });
      else done(new Error('wrong password'));
    },
    onConnect(_session, done) {
      if (isCutAt('greeting')) {
        take();
        cut();
      } else done();
    },
    onMailFrom(_address, _session, done) {
      done(refusalAt('mail'));
    },
    onRcptTo({ address }, _session, done) {
      if (isCutAt('rcpt')) {
        take();
        return cut();
      }
      done(refusalAt('rcpt', address));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!isCutAt('within the mail')) return;
        take();
        cut();
      });
      stream.on('end', () => {
        if (isCutAt('after the mail')) {
          take();
          return cut();
        }
        const refusal = refusalAt('data');
        if (refusal) return done(refusal);
        const { mailFrom, rcptTo } = session.envelope;
        arrived.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          mail: Buffer.concat(chunks),
          secure: session.secure,
          user: session.user as string | undefined,
        });
        const answer = take();
        done(null, answer && 'reply' in answer ? answer.reply : undefined);
      });
    },
    ...options,
  });
  server.on('error', () => {});
  const listener = await useListener(server.server);
  return {
    ...listener,
    arrived,
    next(given) {
      issue = given;
    },
  };
}
