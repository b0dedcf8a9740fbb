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

The token needs the scope campaigns:read, and for the audience contacts:read. Exit codes: 0 ok, 1 failed or nobody can be sent to,
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
    scheduledAt,
    timezone,
    recurrenceRules,
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
    timezone,
    // The automation of a campaign with a message is made from it.
    ...(message === null ? { variables, ...(automationId !== null && { automationId }) } : { message }),
    ...(messageTemplateId !== null && { messageTemplateId }),
    ...(templateHeader !== null && { templateHeader }),
    ...(segmentId === null ? { audience: audience as string } : { segmentId }),
    // A time that has passed means now.
    ...(scheduledAt !== null && Date.parse(scheduledAt) > Date.now() && { scheduledAt }),
    ...(recurrenceRules.length > 0 && { recurrenceRules }),
  };
}

function describe({
  matched,
  matchedIsCapped,
  examined,
  sendable,
  skipped,
  samples,
  quietHours,
  estimatedMinutes,
}: CampaignPreview): string[] {
  const share = examined < matched ? ` of ${count(examined)} examined` : '';
  return [
    `${matchedIsCapped ? 'More than ' : ''}${count(matched)} contacts match.`,
    `${count(sendable)}${share} can be sent to.`,
    ...Object.entries(skipped).map(
      ([reason, number]) => `${count(number)}${share} ${skippedTexts[reason] ?? reason}.`,
    ),
    ...(quietHours
      ? [
          `${count(quietHours.recipients)}${share} have quiet hours then and get it between ${quietHours.from} and ${quietHours.until}.`,
        ]
      : []),
    `Sending takes ${matchedIsCapped ? 'at least' : 'about'} ${count(estimatedMinutes)} ${estimatedMinutes === 1 ? 'minute' : 'minutes'}.`,
    ...(samples.length === 0 ? [] : ['', 'First messages']),
    ...samples.flatMap(({ contactId, displayName, messages, error }) => {
      const texts = messages.map(({ text, type }) => short(text ?? type, 200));
      const lines = texts.length > 0 ? texts : [plain(error?.message ?? 'no message')];
      return lines.map((line) => `  ${short(displayName, 30)} (${contactId}): ${line}`);
    }),
  ];
}
