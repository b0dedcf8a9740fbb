type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * Notes every message that is sent to the sandbox, also one that the sandbox already has and ignores. Called with the
 * database's superuser, whose rights the function keeps: the server's role may not write this table.
 */
export async function noteSandboxCalls(query: Query): Promise<void> {
  await query('create table sandbox_calls (message_id uuid not null)');
  await query(`create function note_sandbox_call() returns trigger language plpgsql security definer as
    'begin insert into sandbox_calls values (new.message_id); return new; end'`);
  await query(`create trigger note_call before insert on sandbox_outbox
    for each row execute function note_sandbox_call()`);
}

/** How many messages were sent to the sandbox more than once. */
export async function repeatedCalls(query: Query): Promise<number> {
  return (await query('select 1 from sandbox_calls group by message_id having count(*) > 1')).length;
}
