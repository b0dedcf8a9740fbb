import { readFile } from 'node:fs/promises';
import { adapters } from '../../src/adapters.ts';
import { render, renderSimple } from '../../src/automations/definition/liquid.ts';
import { evaluateTask, evaluateTexts } from '../../src/automations/runs/evaluate-task.ts';
import { parseInThread, parseTask } from '../../src/messages/inbound/parse-request.ts';
import { createTaskPool } from '../../src/sandboxed/task-pool.ts';
import { exampleContact } from '../../src/contacts/example.ts';

const pool = createTaskPool(new URL('../dist/task-threads.js', import.meta.url));
const scope = { contact: exampleContact, attributes: {}, chat: {}, message: {}, variables: {}, steps: {} };
const time = async (name: string, count: number, task: () => unknown) => {
  for (let n = 0; n < count / 5; n++) await task();
  const rounds: number[] = [];
  for (let r = 0; r < 7; r++) {
    const started = performance.now();
    for (let n = 0; n < count; n++) await task();
    rounds.push(((performance.now() - started) / count) * 1000);
  }
  rounds.sort((a, b) => a - b);
  console.log(name, `${rounds[3]?.toFixed(1)} µs`);
};
const before = process.memoryUsage().rss;
let t = performance.now();
await pool.run(evaluateTask, { kind: 'texts', texts: ['{{ contact.firstName }}'], scope }, 'a');
console.log('first task', (performance.now() - t).toFixed(1), 'ms; memory', ((process.memoryUsage().rss - before) / 1e6).toFixed(1), 'MB');
await time('Hello simple main', 5000, () => renderSimple('Hello {{ contact.firstName }}', scope));
await time('Hello thread', 2000, () => pool.run(evaluateTask, { kind: 'texts', texts: ['Hello {{ contact.firstName }}'], scope: { contact: exampleContact } }, 'a'));
await time('loop main', 2000, () => render('{% for a in (1..3) %}{{ a }}{% endfor %}', scope));
await time('loop thread', 2000, () => pool.run(evaluateTask, { kind: 'texts', texts: ['{% for a in (1..3) %}{{ a }}{% endfor %}'], scope: {} }, 'a'));
const mail = Buffer.from(['From: Ada <ada@example.com>', 'To: help@shop.test', 'Subject: Hello', 'Message-ID: <1@example.com>', 'Date: Sun, 15 Nov 2026 10:00:00 +0000', 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', '', 'Where is my order? '.repeat(50)].join('\r\n'));
const channel = { id: '1', tenantId: 'a', kind: 'email' as const, address: 'help@shop.test', config: {} };
const input = { provider: 'smtp', channel, url: '', headers: {}, body: mail, receivedAt: new Date() };
const inThread = parseInThread(adapters);
await time('mail main', 500, () => inThread(input));
await time('mail thread', 500, () => pool.run(parseTask, input, 'a'));
const big = Buffer.concat([Buffer.from('From: ada@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n'), Buffer.from(`${'QUJD'.repeat(19)}\r\n`.repeat(130_000)), Buffer.from('--b--\r\n')]);
await time('mail 10 MB main', 3, () => inThread({ ...input, body: big }));
await time('mail 10 MB thread', 3, () => pool.run(parseTask, { ...input, body: big }, 'a'));
console.log(pool.stats(), 'rss', (process.memoryUsage().rss / 1e6).toFixed(0));
await pool.close();
