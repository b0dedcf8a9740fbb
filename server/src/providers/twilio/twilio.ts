import { OutboundError } from '../../outbound/outbound-error.ts';
import type { Adapter } from '../adapter.ts';
import type { AdapterChannel, ChannelProblem } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { basicAuth, configureTwilio, type TwilioConfig } from './config.ts';
import { fetchTwilioMedia } from './media.ts';
import { parseTwilio } from './parse.ts';
import { sendThroughTwilio } from './send.ts';
import { isSignedByTwilio, MAX_BODY_BYTES, SIGNATURE_HEADER } from './signature.ts';

const DEADLINE_MS = 10_000;
const ANSWER_BYTES = 64 * 1024;

/** SMS and MMS through Twilio. */
export const twilio: Adapter = {
  provider: 'twilio',
  kinds: ['sms'],
  // Twilio queues what a number may not send yet; this only stays below its limit of concurrent requests.
  perSecond: 30,
  perContactMs: 0,
  bodyBytes: MAX_BODY_BYTES,
  signatureHeaders: [SIGNATURE_HEADER],
  reply: { contentType: 'text/xml', body: '<Response/>' },
  configure: configureTwilio,
  servers: ({ baseUrl }) => ({ baseUrl: baseUrl as string }),
  check: checkTwilio,
  verifySignature: (request, { config }) => isSignedByTwilio(request, (config as TwilioConfig).authToken),
  parseInbound: parseTwilio,
  inThread: () => 'large',
  fetchMedia: fetchTwilioMedia,
  send: sendThroughTwilio,
};

/** Checks the number, whether Twilio can call this server, and the credentials. */
async function checkTwilio(channel: AdapterChannel, context: AdapterContext): Promise<ChannelProblem[]> {
  const problems: ChannelProblem[] = [];
  if (!/^\+?[0-9]{3,20}$|^whatsapp:\+[0-9]{3,20}$|^rcs:\S+$/.test(channel.address))
    problems.push({
      path: 'address',
      message: 'Must be a phone number such as +15550001111, or the sender with whatsapp: or rcs:',
    });
  const callback = context.callbackUrl('twilio', channel.id);
  if (/^http:|^https?:\/\/(localhost|127\.|\[::1\])/.test(callback))
    problems.push({
      message: `Twilio cannot call ${callback}: set PARLEY_BASE_URL to the public https URL of this server`,
    });
  const config = channel.config as TwilioConfig;
  const hasKey = config.apiKeySid !== undefined;
  try {
    const { status, body } = await context.request({
      // A Standard API key may not read the account, but what a channel needs.
      url: `${config.baseUrl}/2010-04-01/Accounts/${config.accountSid}${hasKey ? '/Messages.json?PageSize=1' : '.json'}`,
      method: 'GET',
      headers: { authorization: basicAuth(config) },
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: ANSWER_BYTES,
    });
    if (status === 401 || status === 403 || status === 404)
      problems.push({
        path: hasKey ? 'config.apiKeySid' : 'config.authToken',
        message: `Twilio does not accept the ${hasKey ? 'API key for this accountSid' : 'accountSid and authToken'}`,
      });
    else if (status !== 200) problems.push({ message: `Twilio answered with ${status}` });
    else if (!hasKey && !/"status": ?"active"/.test(body.toString('utf8')))
      problems.push({ path: 'config.accountSid', message: 'The account at Twilio is not active' });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    problems.push({ path: 'config.baseUrl', message: error.message });
  }
  return problems;
}
