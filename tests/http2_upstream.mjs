// An engine of Node's HTTP/2: node http2_upstream.mjs CERTIFICATE_AND_KEY. What it does is said by the content
// of the first message. Prints its port, then an event a line: "session", "stream", "closed CODE".
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

const pem = readFileSync(process.argv[2]);
const server = createSecureServer({ key: pem, cert: pem, allowHTTP1: true });
const say = (line) => process.stdout.write(`${line}\n`);
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };

const whole = (content) => JSON.stringify({
  id: 'c', object: 'chat.completion', model: 'm', usage,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});
const piece = (content) => `data: ${JSON.stringify({
  id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }],
})}\n\n`;
const ending = `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`;

server.on('session', (session) => {
  say('session');
  session.on('error', () => {});
});
server.on('request', async (request, response) => {
  say(`stream HTTP/${request.httpVersion}`);
  request.stream?.on?.('close', () => say(`closed ${request.stream.rstCode}`));
  request.on('error', () => {});
  response.on('error', () => {});
  const parts = [];
  for await (const part of request) parts.push(part);
  const call = JSON.parse(Buffer.concat(parts));
  const { content } = call.messages[0];
  if (content === 'hang') return;
  if (content === 'goaway') request.stream.session.goaway(0, request.stream.id);
  if (content === 'reset') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(piece('half'), () => request.stream.close(2));
    return;
  }
  if (!call.stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(whole(content));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let i = 0; i < 20 || content === 'endless'; i += 1) {
    if (request.stream.destroyed) return;
    response.write(piece(`p${i} `));
    await new Promise((done) => setImmediate(done));
  }
  response.end(ending);
});
server.on('sessionError', () => {});
server.listen(0, '127.0.0.1', () => say(server.address().port));
