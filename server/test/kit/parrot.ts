import { type Listener, useHttpServer, useTcpServer } from './listeners.ts';

/** The text of a Basic or SASL login. */
const decoded = (text: string): string => Buffer.from(text, 'base64').toString('latin1');

/**
 * A vendor that refuses every request and repeats in its words everything that it was sent, in the forms of Meta, Twilio and
 * a token endpoint.
 */
export const useParrot = (): Promise<Listener> =>
  useHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { authorization = '' } = request.headers;
    const message = `no: ${authorization} ${decoded(authorization.replace('Basic ', ''))} ${body} ${decodeURIComponent(body)}`;
    const form = request.url?.includes('/token')
      ? { error: 'invalid_grant', error_description: message }
      : request.url?.includes('/Accounts/')
        ? { code: 20003, message, status: 401 }
        : { error: { message, code: 190, type: 'OAuthException' } };
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(form));
  });

/** A relay and a mailbox in one that refuse every login and repeat it. */
export const useMailParrot = (greeting: '220 parrot ESMTP' | '* OK parrot'): Promise<Listener> =>
  useTcpServer((socket) => {
    socket.write(`${greeting}\r\n`);
    socket.on('data', (chunk) => {
      for (const line of chunk.toString('latin1').split('\r\n').filter(Boolean)) {
        const [first = '', verb = '', ...rest] = line.split(' ');
        const said = `${line} ${rest.map(decoded).join(' ')}`.replaceAll(/[^\x20-\x7e]/g, ' ');
        if (greeting.startsWith('220'))
          socket.write(first === 'EHLO' ? '250-parrot\r\n250 AUTH PLAIN\r\n' : `535 5.7.8 no: ${said}\r\n`);
        else if (verb === 'CAPABILITY') socket.write(`* CAPABILITY IMAP4rev1\r\n${first} OK done\r\n`);
        else socket.write(`${first} NO [AUTHENTICATIONFAILED] no: ${said}\r\n`);
      }
    });
  });
