/** What an assistant is answered by every tool there is, with each of the values that its required arguments can have. */
export async function callTools(
  url: string,
  token: string,
  valuesOf: (argument: string) => readonly string[],
): Promise<[name: string, text: string][]> {
  const ask = async (method: string, params: object): Promise<string> => {
    const answer = await fetch(`${url}/mcp?write=true`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return answer.text();
  };
  const listed = await ask('tools/list', {});
  const { tools } = JSON.parse(listed.slice(listed.indexOf('{'))).result as {
    tools: { name: string; inputSchema: { required?: string[] } }[];
  };
  const results: [string, string][] = [['tools/list', listed]];
  for (const { name, inputSchema } of tools) {
    const required = inputSchema.required ?? [];
    const turns = Math.max(1, ...required.map((argument) => valuesOf(argument).length));
    for (let turn = 0; turn < turns; turn += 1) {
      const given = required.map((argument) => {
        const values = valuesOf(argument);
        return [argument, values[turn % values.length]];
      });
      results.push([name, await ask('tools/call', { name, arguments: Object.fromEntries(given) })]);
    }
  }
  return results;
}
