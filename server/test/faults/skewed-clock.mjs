// Loaded into a server before anything else (--import): its clock is wrong by the milliseconds in the file SKEW_FILE.
import { readFileSync } from 'node:fs';

const RealDate = Date;
let skewMs = 0;
const read = () => {
  skewMs = Number(readFileSync(process.env.SKEW_FILE, 'utf8'));
};
read();
setInterval(read, 100).unref();

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + skewMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + skewMs;
  }
};
