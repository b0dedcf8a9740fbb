import Fastify from 'fastify';
import { createPoster, listen, newId, runInFlight } from './tools.ts';

interface Run {
  count: number;
  paths: string[];
  before: string;
  after: string;
}

/**
 * `POST /run` posts one body under so many ids, each signed, in turn to the paths. Nothing is read from anywhere and
 * nothing is recorded.
 */
export async function startWebhooks(receiver: string): Promise<number> {
  const post = createPoster(receiver);
  const app = Fastify({ logger: false });
  app.post<{ Body: Run }>('/run', async (request) => {
    const { count, paths, before, after } = request.body;
    return runInFlight(count, paths, (path) => {
      const id = newId();
      return post(path, id, before + id + after);
    });
  });
  return listen(app);
}
