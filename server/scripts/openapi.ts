import { resolve } from 'node:path';
import { apiDocument, contracts } from '../src/app.ts';
import { writeOrCheck } from './generated.ts';

await writeOrCheck(
  { [resolve('../openapi/v3.json')]: `${JSON.stringify(apiDocument(contracts()), null, 2)}\n` },
  'npm run openapi',
);
