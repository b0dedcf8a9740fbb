import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { triggerFigure } from './automations.ts';
import { broadcastRunFigure } from './broadcast-run.ts';
import { inboundFigure } from './inbound.ts';
import { latencyFigure, latencyHead } from './latency.ts';
import { longChatFigure } from './long-chat.ts';
import { cleanUp, isCleaning } from './processes.ts';
import { printProfile } from './profile.ts';
import { chatsFigure, type Effort, meFigure } from './reads.ts';
import { type Comparison, comparisonHead, comparisonRow, printTable } from './rounds.ts';
import { searchFigures, searchHead } from './searches.ts';
import { sendingFigure } from './sending.ts';
import { startFigure, startHead } from './start.ts';
import { waitingFigure } from './waiting.ts';
import { waitingRunsFigure } from './waiting-runs.ts';
import { endpointFigure, endpointsFigure } from './webhooks.ts';
import { whatsappFigure, whatsappVisibleFigure } from './whatsapp.ts';
import { startWorld, type World } from './world.ts';
import { broadcastsFigure, labelsFigure } from './writes.ts';

const USAGE = `npm run bench -- [me] [chats] [inbound] [conversations] [labels] [broadcasts] [automations] [webhooks] [searches]
                 [start] [--rounds N] [--seconds N] [--profile FOLDER]

Without names, all figures; webhooks are [endpoint] [endpoints] [latency] [waiting], conversations are [whatsapp]
[whatsapp-visible] [sending] [long-chat], automations are [trigger] [broadcast-run] [waiting-runs]. --profile writes a CPU profile of the server under test into that folder and
prints where its time goes; choose one figure with it. Being profiled costs time, so the ratios of such a run are too low.`;

const comparisons: Record<string, (world: World, effort: Effort) => Promise<Comparison | Comparison[]>> = {
  me: meFigure,
  chats: chatsFigure,
  inbound: inboundFigure,
  whatsapp: whatsappFigure,
  'whatsapp-visible': whatsappVisibleFigure,
  sending: sendingFigure,
  'long-chat': longChatFigure,
  labels: labelsFigure,
  broadcasts: broadcastsFigure,
  trigger: triggerFigure,
  endpoint: endpointFigure,
  endpoints: endpointsFigure,
  waiting: waitingFigure,
};
/** What is compared with nothing but its goal. */
const absolutes: Record<string, (world: World, effort: Effort) => Promise<string[][]>> = {
  'broadcast-run': broadcastRunFigure,
  'waiting-runs': waitingRunsFigure,
};
const figures = [...Object.keys(comparisons), ...Object.keys(absolutes), 'latency', 'searches', 'start'];
/** Names for several figures at once. */
const groups: Record<string, string[]> = {
  automations: ['trigger', 'broadcast-run', 'waiting-runs'],
  conversations: ['whatsapp', 'whatsapp-visible', 'sending', 'long-chat'],
  webhooks: ['endpoint', 'endpoints', 'latency', 'waiting'],
};

const NOTES = `Ratios are ours to bare, medians of the rounds' ratios, with the lowest and highest in brackets. For throughput more is
better, for CPU less. CPU is the server's and PostgreSQL's, from the system's accounting, the server's part in brackets.
Load generator, receiver, server and PostgreSQL share the machine, alike for both sides; 64 connections, one request in
flight on each.
The bare inbound program is driven in its own process, without HTTP in front, which is in its favour; the line below
it has the same program behind a bare Fastify route and the same load generator as ours.
Events for endpoints are written beforehand by a transaction that is committed when the clock starts: publishing them is
not measured; numbering, matching, sending and recording them is. The bare program signs and posts the same bytes and keeps
nothing. Each event is for one endpoint; the thousand have paths of their own at one receiver and belong to ten tenants.
For the line of the retries, bare is the same server without them.
While WhatsApp texts are acknowledged, another process owns the channel's work, as it would among several: they are stored
and nothing else. Runs that are triggered to begin tomorrow are recorded and nothing else; those that begin at once are
executed beside it, on the same cores, which the bare route does not do. The lines of long chats compare the same request to two chats of this server: bare is the short one.`;

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const effort = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
  const named = positionals.flatMap((name) => groups[name] ?? [name]);
  const unknown = named.find((name) => !figures.includes(name));
  if (unknown !== undefined) throw new Error(`There is no figure "${unknown}".\n\n${USAGE}`);
  if (!(effort.rounds >= 1) || !(effort.seconds > 0))
    throw new Error(`Rounds and seconds must be positive.\n\n${USAGE}`);
  return {
    effort,
    profile: values.profile,
    chosen: named.length === 0 ? figures : named,
    help: values.help,
  };
}

async function main(): Promise<void> {
  const { effort, profile, chosen, help } = readArguments();
  if (help) return console.log(USAGE);
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, ${effort.rounds} rounds of ${effort.seconds} s`,
  );
  const starting = chosen.includes('start') ? await startFigure(effort.rounds) : [];
  const rows: string[][] = [];
  const compared = chosen.filter((name) => name in comparisons);
  const latencies: string[][] = [];
  const searches: string[][] = [];
  const isSoleProcess = chosen.filter((name) => name in absolutes);
  const measured: string[][] = [];
  if (
    [...compared, ...isSoleProcess].length > 0 ||
    chosen.includes('latency') ||
    chosen.includes('searches')
  ) {
    const world = await startWorld(profile);
    for (const name of compared) {
      const found = await comparisons[name]?.(world, effort);
      rows.push(...[found ?? []].flat().map(comparisonRow));
    }
    for (const name of isSoleProcess) measured.push(...((await absolutes[name]?.(world, effort)) ?? []));
    if (chosen.includes('latency')) latencies.push(...(await latencyFigure(world, effort)));
    if (chosen.includes('searches')) searches.push(...(await searchFigures(world)));
  }
  process.stderr.write('\n');
  if (rows.length > 0) {
    printTable(comparisonHead, rows);
    console.log(`\n${NOTES}\n`);
  }
  if (measured.length > 0) printTable(startHead, measured);
  if (latencies.length > 0) printTable(latencyHead, latencies);
  if (searches.length > 0) printTable(searchHead, searches);
  if (starting.length > 0) printTable(startHead, starting);
  if (profile !== undefined) {
    // The profile is written when the server ends.
    await cleanUp();
    await printProfile(profile);
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (isCleaning()) return;
    console.error('\nstopping');
    void cleanUp().then(() => process.exit(130));
  });

try {
  await main();
} catch (error) {
  // What breaks because everything is being stopped is no news.
  if (isCleaning()) await new Promise(() => {});
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  process.exitCode = 1;
}
await cleanUp();
