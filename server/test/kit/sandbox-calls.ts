type Ask = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Notes every message that is handed to the sandbox, also one that it has already and takes only once. */
export async function noteSandboxCalls(ask: Ask): Promise<void> {
  await ask('create table sandbox_calls (message_id uuid not null)');
  await ask(`create function note_sandbox_call() returns trigger language plpgsql as
    'begin insert into sandbox_calls values (new.message_id); return new; end'`);
  await ask(`create trigger note_call before insert on sandbox_outbox
    for each row execute function note_sandbox_call()`);
}

/** How many messages were handed to the sandbox more than once. */
export async function repeatedCalls(ask: Ask): Promise<number> {
  return (await ask('select 1 from sandbox_calls group by message_id having count(*) > 1')).length;
}
