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
  | { at: 'mail' | 'rcpt' | 'data'; code: number; only?: string }
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
  const refusal = (code: number): Error & { responseCode: number } =>
    Object.assign(new Error(`${code < 500 ? 'try later' : 'not here'}`), { responseCode: code });
  const isAt = (at: 'mail' | 'rcpt' | 'data', address = ''): number | undefined =>
    issue && 'at' in issue && issue.at === at && (issue.only === undefined || issue.only === address)
      ? (take() as { code: number }).code
      : undefined;
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
      const code = isAt('mail');
      done(code === undefined ? null : refusal(code));
    },
    onRcptTo({ address }, _session, done) {
      if (isCutAt('rcpt')) {
        take();
        return cut();
      }
      const code = isAt('rcpt', address);
      done(code === undefined ? null : refusal(code));
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
        const code = isAt('data');
        if (code !== undefined) return done(refusal(code));
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
