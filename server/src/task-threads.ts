// The program of the worker threads: every task on untrusted texts, by name. It is bundled for itself, see bin/build.js.
import { evaluateTask, evaluateTexts } from './automations/runs/evaluate-task.ts';
import { parseInThread, parseTask } from './messages/inbound/parse-request.ts';
import { adapters } from './providers/adapters.ts';
import { handleTask, serveTasks } from './sandboxed/serve-tasks.ts';

serveTasks([handleTask(parseTask, parseInThread(adapters)), handleTask(evaluateTask, evaluateTexts)]);
