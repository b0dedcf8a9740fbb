// Every package in package-lock.json must run on every version of Node that package.json promises, so that `npm ci`
// prints no EBADENGINE warning on any of them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { minVersion, satisfies } from 'semver';

/** The newest releases of the other supported versions. The oldest supported one stands in package.json. */
const NEWEST = ['20.999.0', '22.999.0', '24.999.0'];
/** Packages that may ask for more, by name. */
const EXCEPTIONS = {
  '@napi-rs/lzma-linux-x64-gnu':
    'optional: only the build of rollup itself uses it, and npm leaves it out without a warning',
};

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name) => JSON.parse(readFileSync(`${root}${name}`, 'utf8'));
const { engines } = read('package.json');
const versions = [minVersion(engines.node).version, ...NEWEST];
const packages = Object.entries(read('package-lock.json').packages).filter(([path]) => path !== '');
const unused = new Set(Object.keys(EXCEPTIONS));
let problems = 0;
const report = (text) => {
  problems += 1;
  console.error(text);
};

for (const [path, { version, engines: wanted }] of packages) {
  const name = path.split('node_modules/').at(-1);
  const refused = versions.filter((node) => !satisfies(node, wanted?.node ?? '*'));
  if (refused.length === 0) continue;
  if (!unused.delete(name))
    report(`${path} ${version} wants Node ${wanted.node}, which excludes ${refused.join(', ')}`);
}
for (const name of unused) report(`server/scripts/check-engines.js: the exception for ${name} is not needed`);
if (packages.length < 50) report(`package-lock.json has only ${packages.length} packages`);
console.log(`${packages.length} packages, Node ${engines.node}, ${problems} problems`);
if (problems > 0) process.exit(1);
