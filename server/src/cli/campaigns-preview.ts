import { type CampaignPreview, getCampaign, type PreviewCampaignBody, previewCampaign } from '@parley/sdk';
import { OperatorError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { ask } from './api.ts';
import { readJsonFile } from './json-file.ts';
import {
  type CommandContext,
  readFlags,
  readTarget,
  requireArgument,
  resultFlags,
  resultHelp,
  type Target,
} from './options.ts';
import { count, jsonText, plain, short } from './text.ts';

const COMMAND = 'campaigns preview';
/** Up to 5,000 recipients are examined. */
const PREVIEW_MS = 120_000;

const help = `parley campaigns preview: shows whom a campaign reaches and what it sends. Nothing is sent or stored.

  parley campaigns preview campaign.json
  parley campaigns preview 019a82a0-0000-7000-8000-000000000071

The argument is a JSON file with the body of POST /v3/campaigns (- is the standard input), or the id of a campaign with an
audience or a segment.

${resultHelp}

The token needs the scope campaigns:write, and for the audience contacts:read. Exit codes: 0 ok, 1 failed or nobody can be sent to,
2 wrong usage.`;

/** What it is that cannot be sent to, by reason. */
const skippedTexts: Record<string, string> = {
  no_handle: 'have no address on this channel',
  unsubscribed: 'are unsubscribed',
  opted_out: 'opted out at the vendor',
  undeliverable: 'have an address that does not exist',
  window_closed: 'have not written lately, so only a template may be sent',
};

/** `parley campaigns preview`. */
export async function campaignsPreview(args: string[], { env, say, signal }: CommandContext): Promise<void> {
  const { values, positionals } = readFlags(COMMAND, args, resultFlags);
  if (values.help) return say(help);
  const given = requireArgument(COMMAND, 'The file or the id of a campaign', positionals);
  const target = readTarget(values, env);
  const body = isUuid(given)
    ? await bodyOfCampaign(target, given, signal)
    : ((await readJsonFile(given)) as unknown as PreviewCampaignBody);
  const preview = await ask(
    target,
    signal,
    (client, options) => previewCampaign(client, { ...options, body }),
    PREVIEW_MS,
  );
  if (values.json) say(jsonText(preview));
  else for (const line of describe(preview)) say(line);
  if (preview.sendable === 0) process.exitCode = 1;
}

async function bodyOfCampaign(
  target: Target,
  campaignId: string,
  signal: AbortSignal,
): Promise<PreviewCampaignBody> {
  const {
    channelId,
    automationId,
    message,
    messageTemplateId,
    templateHeader,
    purpose,
    variables,
    audience,
    segmentId,
  } = await ask(target, signal, (client, options) =>
    getCampaign(client, { ...options, path: { campaignId } }),
  );
  if (audience === null && segmentId === null)
    throw new OperatorError(
      'This campaign has neither an audience nor a segment: its recipients were given one by one. Preview a file with its contacts instead.',
    );
  return {
    channelId,
    purpose,
    variables,
    ...(automationId !== null && { automationId }),
    ...(message !== null && { message }),
    ...(messageTemplateId !== null && { messageTemplateId }),
    ...(templateHeader !== null && { templateHeader }),
    ...(segmentId === null ? { audience: audience as string } : { segmentId }),
  };
}

function describe({
  matched,
  matchedIsCapped,
  examined,
  sendable,
  skipped,
  samples,
  estimatedMinutes,
}: CampaignPreview): string[] {
  const share = examined < matched ? ` of ${count(examined)} examined` : '';
  return [
    `${count(matched)}${matchedIsCapped ? ' or more' : ''} contacts match.`,
    `${count(sendable)}${share} can be sent to.`,
    ...skipped.map((one) => `${count(one.count)}${share} ${skippedTexts[one.reason] ?? one.reason}.`),
    `Sending takes about ${count(estimatedMinutes)} ${estimatedMinutes === 1 ? 'minute' : 'minutes'}.`,
    ...(samples.length === 0 ? [] : ['', 'First messages']),
    ...samples.map(({ contactId, displayName, message, error }) => {
      const text = message ? short(message.text ?? message.type, 200) : plain(error?.message ?? 'no message');
      return `  ${short(displayName, 30)} (${contactId}): ${text}`;
    }),
  ];
}
