import { resolve } from 'node:path';
import { apiDocuments, contracts } from '../src/app.ts';
import { writeOrCheck } from './generated.ts';

await writeOrCheck(
  Object.fromEntries(
    Object.entries(apiDocuments(contracts())).map(([version, { create }]) => [
      resolve(`../openapi/${version}.json`),
      `${JSON.stringify(create(), null, 2)}\n`,
    ]),
  ),
  'npm run openapi',
);
