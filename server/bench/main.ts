import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { checkOutCommit, describeWorkingTree } from './commit.ts';
import { compareWithBare } from './compare-bare.ts';
import { compareCommits, QUIET_DATABASE } from './compare-commits.ts';
import type { Effort, Figure, Side } from './figure.ts';
import { measureInstalledSize } from './figures/start.ts';
import { figures, groups, notCompared, onlyByName } from './figures.ts';
import { cleanUp, isCleaning, SERVER_ROOT } from './processes.ts';
import { printProfile } from './profile.ts';
import { startTarget, type Target, type TargetOptions } from './target.ts';

const USAGE = `npm run bench -- [figure…] [--rounds N] [--seconds N] [--scale N] [--profile FOLDER]
npm run bench -- [figure…] --against COMMIT [--rounds N] [--seconds N] [--scale N]

Figures: ${Object.keys(figures).join(' ')}.
Without names, all but ${onlyByName.join(' ')}; against another commit also without ${notCompared.join(' ')}.
${Object.entries(groups)
  .map(([name, members]) => `${name}: ${members.join(' ')}.`)
  .join('\n')}

The first form compares the working tree with bare programs. --profile writes a CPU profile of the server into a folder and
prints where its time goes; choose one figure with it. Profiling takes time, so the ratios of such a run are too low.
--scale 0.1 lets growth create a tenth of its data.
The second form compares the working tree with another commit and exits with 1 if it is slower or takes more CPU time.`;

function readPositive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!(Number(text) > 0)) throw new Error(`--${name} must be a positive number.\n\n${USAGE}`);
  return Number(text);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      against: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      scale: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const rounds = readPositive('rounds', values.rounds);
  const seconds = readPositive('seconds', values.seconds);
  if (rounds !== undefined && !Number.isInteger(rounds))
    throw new Error(`--rounds must be an integer.\n\n${USAGE}`);
  if (values.against !== undefined && values.profile !== undefined)
    throw new Error(`--profile cannot be combined with --against.\n\n${USAGE}`);
  const names = positionals.flatMap((name) => groups[name] ?? [name]);
  const unknown = names.find((name) => !(name in figures));
  if (unknown !== undefined) throw new Error(`There is no figure "${unknown}".\n\n${USAGE}`);
  const isDefault = (name: string): boolean =>
    !onlyByName.includes(name) && (values.against === undefined || !notCompared.includes(name));
  const chosen = Object.entries(figures).filter(([name]) =>
    names.length === 0 ? isDefault(name) : names.includes(name),
  );
  return {
    chosen: Object.fromEntries(chosen),
    effort: { ...(rounds === undefined ? {} : { rounds }), ...(seconds === undefined ? {} : { seconds }) },
    scale: readPositive('scale', values.scale) ?? 1,
    against: values.against,
    profile: values.profile,
    help: values.help,
  };
}

function createSide(options: TargetOptions, scale: number): Side {
  let target: Promise<Target> | undefined;
  return {
    serverRoot: options.serverRoot,
    scale,
    getTarget() {
      target ??= startTarget(options);
      return target;
    },
  };
}

async function runAgainst(
  commit: string,
  chosen: Record<string, Figure>,
  effort: Partial<Effort>,
  scale: number,
): Promise<void> {
  const checkouts = [await checkOutCommit(commit), await describeWorkingTree()];
  for (const [index, { description }] of checkouts.entries())
    console.log(`${index === 0 ? 'old' : 'new'}: ${description}`);
  const sides = checkouts.map(({ serverRoot }) =>
    createSide({ serverRoot, databaseSettings: QUIET_DATABASE }, scale),
  ) as [Side, Side];
  if (!(await compareCommits(chosen, sides, effort))) process.exitCode = 1;
}

async function main(): Promise<void> {
  const { chosen, effort, scale, against, profile, help } = readArguments();
  if (help) return console.log(USAGE);
  console.log(`Node ${process.version}, ${availableParallelism()} cores`);
  if (against !== undefined) return runAgainst(against, chosen, effort, scale);
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const side = createSide({ serverRoot: SERVER_ROOT, nodeFlags }, scale);
  const isComplete = await compareWithBare(chosen, side, effort, async () =>
    'start' in chosen ? [await measureInstalledSize()] : [],
  );
  if (!isComplete) process.exitCode = 1;
  if (profile !== undefined) {
    // The profile is written when the server exits.
    await cleanUp();
    await printProfile(profile);
  }
}

async function stop(exitCode: number): Promise<void> {
  await cleanUp();
  process.exit(exitCode);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (isCleaning()) return;
    console.error('\nstopping');
    void stop(130);
  });
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error) => {
    // Connections break while everything is being stopped.
    if (isCleaning()) return;
    console.error(error);
    void stop(1);
  });

try {
  await main();
} catch (error) {
  // What fails because everything is being stopped is not reported, and the signal's handler ends the process.
  if (isCleaning()) await new Promise(() => {});
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  process.exitCode = 1;
}
await cleanUp();
