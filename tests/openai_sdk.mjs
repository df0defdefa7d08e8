// The official OpenAI SDK against `brigada serve`: streaming, usage, errors, abort. With
// BRIGADA_GATEWAY=1 the same through `brigada gateway` before it.
//
//     node --test tests/openai_sdk.mjs     needs `npm --prefix tests ci` and the smollm2 model
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import OpenAI from "openai";

const binary = process.env.BRIGADA_BINARY ?? "build/release/brigada";
const model = "smollm2";
const masterKey = "sk-master-of-these-tests";
let server;
let gateway;
let folder;
let toolServer;
let tapes;
let client;
let address;

const freePort = () =>
    new Promise((resolve) => {
        const listener = createServer();
        listener.listen(0, "127.0.0.1", () => {
            const { port } = listener.address();
            listener.close(() => resolve(port));
        });
    });

async function ready(process, url) {
    for (let i = 0; i < 1200; ++i) {
        assert.equal(process.exitCode, null, "the server ended while starting");
        const answer = await fetch(url).catch(() => null);
        if (answer?.ok) return;
        await pause(100);
    }
    assert.fail("the server is not ready");
}

/** The address of a gateway before the engine at `upstream`. */
async function startGateway(upstream) {
    folder = mkdtempSync(join(tmpdir(), "brigada-"));
    const config = join(folder, "config.yaml");
    writeFileSync(config, `general_settings: {master_key: ${masterKey}}
model_list:
- model_name: ${model}
  litellm_params: {model: openai/${model}, api_base: "${upstream}/v1"}
`);
    const port = await freePort();
    gateway = spawn(binary, ["gateway", "--config", config, "--listen", `127.0.0.1:${port}`,
                             "--data", join(folder, "data")], { stdio: "ignore" });
    await ready(gateway, `http://127.0.0.1:${port}/health/readiness`);
    return `http://127.0.0.1:${port}`;
}

async function runningRequests() {
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(/^vllm:num_requests_running(?:\{.*\})? ([0-9.e+]+)$/m.exec(text)?.[1]);
}

before(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}`;
    // Exact arithmetic, because the answers are compared with the goldens' text.
    server = spawn(binary, ["serve", model, "--host", "127.0.0.1", "--port", String(port),
                            "--compute", "exact", "--kv-type", "f32"], { stdio: "ignore" });
    await ready(server, `${address}/health`);
    const door = process.env.BRIGADA_GATEWAY ? await startGateway(address) : address;
    client = new OpenAI({ baseURL: `${door}/v1`, apiKey: masterKey, maxRetries: 0 });
});

after(() => {
    toolServer?.kill("SIGKILL");
    if (tapes) rmSync(tapes, { recursive: true });
    server?.kill("SIGKILL");
    gateway?.kill("SIGKILL");
    if (folder) rmSync(folder, { recursive: true });
});

const question = [{ role: "user", content: "What is the capital of France?" }];

test("lists the model", async () => {
    const models = [];
    for await (const entry of client.models.list()) models.push(entry.id);
    assert.deepEqual(models, [model]);
});

test("answers, and counts tokens", async () => {
    const answer = await client.chat.completions.create({ model, messages: question, temperature: 0 });
    assert.equal(answer.choices[0].message.content, "The capital of France is Paris.");
    assert.equal(answer.choices[0].finish_reason, "stop");
    const { prompt_tokens, completion_tokens, total_tokens } = answer.usage;
    assert.equal(prompt_tokens, 37);
    assert.equal(total_tokens, prompt_tokens + completion_tokens);
});

test("streams the same text, with usage at the end when asked", async () => {
    const stream = await client.chat.completions.create({
        model, messages: question, temperature: 0, stream: true, stream_options: { include_usage: true },
    });
    let text = "";
    let usage = null;
    let finish = null;
    for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        finish = chunk.choices[0]?.finish_reason ?? finish;
        usage = chunk.usage ?? usage;
    }
    assert.equal(text, "The capital of France is Paris.");
    assert.equal(finish, "stop");
    assert.equal(usage.prompt_tokens, 37);
    assert.ok(usage.prompt_tokens_details.cached_tokens > 0);
});

test("gathers a stream by the SDK's own helper", async () => {
    const stream = client.chat.completions.stream({ model, messages: question, temperature: 0 });
    assert.equal(await stream.finalContent(), "The capital of France is Paris.");
});

test("gives n answers and log probabilities", async () => {
    const answer = await client.chat.completions.create({
        model, messages: question, n: 2, temperature: 1, seed: 7, max_tokens: 8,
        logprobs: true, top_logprobs: 3,
    });
    assert.deepEqual(answer.choices.map((choice) => choice.index).sort(), [0, 1]);
    for (const choice of answer.choices) {
        assert.ok(choice.logprobs.content.length > 0);
        for (const token of choice.logprobs.content) {
            assert.ok(token.logprob <= 0);
            assert.equal(token.top_logprobs.length, 3);
        }
    }
});

test("stops at a stop string", async () => {
    const answer = await client.chat.completions.create({
        model, messages: question, temperature: 0, stop: [" is Paris"],
    });
    assert.equal(answer.choices[0].message.content, "The capital of France");
    assert.equal(answer.choices[0].finish_reason, "stop");
});

/** A client of a server whose model says what tests/tape_model.py makes it say. */
async function tapeClient() {
    tapes = mkdtempSync(join(tmpdir(), "brigada-tapes-"));
    execFileSync("python3", [new URL("tape_model.py", import.meta.url).pathname, tapes]);
    const port = await freePort();
    toolServer = spawn(binary, ["serve", tapes, "--name", "tape", "--port", String(port)], { stdio: "ignore" });
    await ready(toolServer, `http://127.0.0.1:${port}/health`);
    return new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none", maxRetries: 0 });
}

test("runs a tool that the model calls, by the SDK's own runner", async () => {
    const taped = await tapeClient();
    const asked = [];
    const runner = taped.chat.completions.runTools({
        model: "tape", messages: [{ role: "user", content: "thinking" }], temperature: 0, stream: true,
        tools: [{ type: "function", function: {
            name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } },
            parse: JSON.parse,
            function: (given) => {
                asked.push(given);
                runner.abort();    // a tape knows one answer only
                return "31";
            },
        } }],
    });
    await runner.done().catch((error) => assert.ok(error instanceof OpenAI.APIUserAbortError));
    assert.deepEqual(asked, [{ city: "Málaga", days: [1, 2.5, null] }]);
    const called = runner.allChatCompletions()[0].choices[0];
    assert.equal(called.finish_reason, "tool_calls");
    assert.equal(called.message.tool_calls[0].function.name, "get_weather");
});

test("throws the SDK's error classes", async () => {
    await assert.rejects(client.chat.completions.create({ model: "nobody", messages: question }),
                         OpenAI.NotFoundError);
    await assert.rejects(client.chat.completions.create({ model, messages: question, top_p: 7 }), (error) => {
        assert.ok(error instanceof OpenAI.BadRequestError);
        assert.equal(error.param, "top_p");
        assert.match(error.message, /7/);
        return true;
    });
});

test("an aborted stream stops the work", async () => {
    const stream = await client.chat.completions.create({
        model, messages: [{ role: "user", content: "Tell me a long story." }], stream: true,
        max_tokens: 4000, ignore_eos: true,
    });
    for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content) break;    // leaving the loop aborts the request
    }
    for (let i = 0; i < 300 && (await runningRequests()) > 0; ++i) await pause(100);
    assert.equal(await runningRequests(), 0);
});
