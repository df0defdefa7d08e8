// The SDKs of npm through `brigada gateway`, before a model that does what the prompt says: openai,
// @anthropic-ai/sdk, and ai with its providers. Streams, tools, schemas, aborts, retries, errors.
//
//     node --test tests/js_sdks.mjs     needs `npm --prefix tests ci` and python3
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

globalThis.AI_SDK_LOG_WARNINGS = false; // it does not know the model `claude`
const binary = process.env.BRIGADA_BINARY ?? "build/release/brigada";
const hello = "Say hello.";
const helloAnswer = "Hello from the script.";
const weather = "What is the weather in Lima?";
const sunny = "It is sunny in Lima.";
const capital = "The capital of Peru, as JSON.";
const endless = "Go on for ever.";
const bad = "Fail with 400.";
const user = (content) => [{ role: "user", content }];
const weatherFields = {
    type: "object", properties: { city: { type: "string" } }, required: ["city"],
};

let door;
let url;
let master;

/** A gateway of sdk_door.py, which ends with this program. */
before(async () => {
    door = spawn("python3", [new URL("sdk_door.py", import.meta.url).pathname, binary],
                 { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: door.stdout })[Symbol.asyncIterator]();
    ({ url, master } = JSON.parse((await lines.next()).value));
});

after(() => door?.stdin.end());

async function manage(path, body) {
    const answer = await fetch(`${url}${path}`, {
        method: body ? "POST" : "GET", headers: { Authorization: `Bearer ${master}` },
        body: body && JSON.stringify(body),
    });
    assert.equal(answer.status, 200, path);
    return answer.json();
}

const newKey = async (limits = {}) => (await manage("/key/generate", limits)).key;

/** Returns when the one call of this key has this status in the ledger. */
async function calledWith(token, status) {
    for (let i = 0; i < 300; ++i) {
        const rows = await manage(`/spend/logs?summarize=false&api_key=${token}`);
        if (rows.some((row) => row.status === status)) return;
        await pause(100);
    }
    assert.fail(`no call of that key is ${status}`);
}

async function refusals() {
    const text = await (await fetch(`${url}/metrics`)).text();
    return [...text.matchAll(/^brigada_refusals_total\{.*\} ([0-9.e+]+)$/gm)]
        .reduce((sum, [, value]) => sum + Number(value), 0);
}

/** What `call` answers, whose key has no room until `leave` has ended another call. */
async function afterARefusal(leave, call) {
    const begun = await refusals();
    const answer = call();
    while ((await refusals()) === begun) await pause(20);
    leave();
    return answer;
}

describe("openai", () => {
    const client = async (limits, options = {}) =>
        new OpenAI({ baseURL: `${url}/v1`, apiKey: await newKey(limits), ...options });

    test("calls tools, from a stream", async () => {
        const openai = await client();
        const tools = [{ type: "function",
                         function: { name: "weather", parameters: weatherFields } }];
        const { message } = (await openai.chat.completions.stream(
            { model: "coder", messages: user(weather), tools }).finalChatCompletion()).choices[0];
        assert.equal(message.tool_calls[0].function.arguments, '{"city": "Lima"}');
        const answer = await openai.chat.completions.create({
            model: "coder", tools,
            messages: [...user(weather), message,
                       { role: "tool", tool_call_id: message.tool_calls[0].id, content: "sunny" }],
        });
        assert.equal(answer.choices[0].message.content, sunny);
    });

    test("speaks Responses", async () => {
        const openai = await client();
        const stream = openai.responses.stream({
            model: "coder", input: user(weather),
            tools: [{ type: "function", name: "weather", parameters: weatherFields, strict: false }],
        });
        const { output: [call] } = await stream.finalResponse();
        assert.equal(call.arguments, '{"city": "Lima"}');
        const answer = await openai.responses.create({
            model: "coder",
            input: [...user(weather), call,
                    { type: "function_call_output", call_id: call.call_id, output: "sunny" }],
        });
        assert.equal(answer.output_text, sunny);
    });

    test("retries a refusal when it says so", async () => {
        const openai = await client({ max_parallel_requests: 1 }, { maxRetries: 5 });
        const running = await openai.chat.completions.create(
            { model: "coder", messages: user(endless), stream: true });
        const answer = await afterARefusal(
            () => running.controller.abort(),
            () => openai.chat.completions.create({ model: "coder", messages: user(hello) }));
        assert.equal(answer.choices[0].message.content, helloAnswer);
    });
});

describe("@anthropic-ai/sdk", () => {
    const tools = [{ name: "weather", input_schema: weatherFields }];
    const client = async (limits, options = {}) =>
        new Anthropic({ baseURL: url, apiKey: await newKey(limits), ...options });
    const asks = (text, more = {}) =>
        ({ model: "claude", max_tokens: 50, messages: user(text), ...more });

    test("answers whole and in pieces, and counts", async () => {
        const anthropic = await client();
        const whole = await anthropic.messages.create(asks(hello));
        assert.equal(whole.content[0].text, helloAnswer);
        const stream = anthropic.messages.stream(asks(hello));
        assert.equal(await stream.finalText(), helloAnswer);
        const count = await anthropic.messages.countTokens(
            { model: "claude", messages: user(hello) });
        assert.equal(count.input_tokens, 42);
        const models = [];
        for await (const model of anthropic.models.list()) models.push(model.display_name);
        assert.deepEqual(models, ["coder", "claude"]);
    });

    test("calls tools, from a stream", async () => {
        const anthropic = await client();
        const message = await anthropic.messages.stream(asks(weather, { tools })).finalMessage();
        const [call] = message.content;
        assert.deepEqual(call.input, { city: "Lima" });
        const answer = await anthropic.messages.create(asks(weather, {
            tools,
            messages: [...user(weather), { role: "assistant", content: message.content },
                       { role: "user", content: [{ type: "tool_result", tool_use_id: call.id,
                                                   content: "sunny" }] }],
        }));
        assert.equal(answer.content[0].text, sunny);
        assert.equal(answer.usage.cache_read_input_tokens, 1000);
    });

    test("leaves a stream, which stops the upstream", async () => {
        const anthropic = await client();
        const stream = anthropic.messages.stream(asks(endless));
        stream.on("text", () => stream.abort());
        await assert.rejects(stream.finalMessage(), Anthropic.APIUserAbortError);
        await calledWith(anthropic.apiKey, "aborted");
    });

    test("retries a refusal when it says so", async () => {
        const anthropic = await client({ max_parallel_requests: 1 }, { maxRetries: 5 });
        const running = await anthropic.messages.create(asks(endless, { stream: true }));
        const answer = await afterARefusal(() => running.controller.abort(),
                                           () => anthropic.messages.create(asks(hello)));
        assert.equal(answer.content[0].text, helloAnswer);
    });

    test("throws its error classes", async () => {
        const anthropic = await client();
        await assert.rejects(anthropic.messages.create(asks(bad)), Anthropic.BadRequestError);
        await assert.rejects(anthropic.messages.create(asks(hello, { model: "nobody" })),
                             Anthropic.NotFoundError);
        const stranger = new Anthropic({ baseURL: url, apiKey: "sk-nobody-has-this-one" });
        await assert.rejects(stranger.messages.create(asks(hello)), Anthropic.AuthenticationError);
        const spent = await client({ max_budget: 1e-9 });
        const begun = await refusals();
        await assert.rejects(spent.messages.create(asks(hello)), (error) => {
            assert.ok(error instanceof Anthropic.RateLimitError);
            assert.equal(error.error.error.type, "billing_error");
            return true;
        });
        assert.equal(await refusals(), begun + 1, "waiting does not help");
    });
});

const providers = {
    "@ai-sdk/openai-compatible": async (limits) =>
        createOpenAICompatible({ name: "brigada", baseURL: `${url}/v1`, includeUsage: true,
                                 supportsStructuredOutputs: true,
                                 apiKey: await newKey(limits) })("coder"),
    "@ai-sdk/anthropic": async (limits) =>
        createAnthropic({ baseURL: `${url}/v1`, apiKey: await newKey(limits) })("claude"),
};

for (const [name, provider] of Object.entries(providers)) {
    describe(`ai with ${name}`, () => {
        test("answers whole and in pieces", async () => {
            const model = await provider();
            assert.equal((await generateText({ model, prompt: hello })).text, helloAnswer);
            const stream = streamText({ model, prompt: hello });
            assert.equal(await stream.text, helloAnswer);
            assert.equal((await stream.usage).inputTokens, 1000);
        });

        test("runs a tool and goes on by itself", async () => {
            const asked = [];
            const tools = { weather: tool({
                inputSchema: z.object({ city: z.string() }),
                execute: async ({ city }) => { asked.push(city); return "sunny"; },
            }) };
            const stream = streamText({ model: await provider(), prompt: weather, tools,
                                        stopWhen: stepCountIs(3) });
            assert.equal(await stream.text, sunny);
            assert.deepEqual(asked, ["Lima"]);
            assert.equal((await stream.usage).cachedInputTokens, 1000);
        });

        test("gives an object of a schema", async () => {
            const { object } = await generateObject({
                model: await provider(), prompt: capital,
                schema: z.object({ capital: z.string() }),
                providerOptions: { anthropic: { structuredOutputMode: "outputFormat" } },
            });
            assert.deepEqual(object, { capital: "Lima" });
        });

        test("says what was wrong, and tries again only where that helps", async () => {
            await assert.rejects(generateText({ model: await provider(), prompt: bad }), (error) => {
                assert.ok(APICallError.isInstance(error));
                assert.equal(error.statusCode, 400);
                assert.match(error.message, /no such tool/);
                return true;
            });
        });

        test("leaves a stream", async () => {
            const aborter = new AbortController();
            const stream = streamText({ model: await provider(), prompt: endless,
                                        abortSignal: aborter.signal });
            for await (const part of stream.fullStream) {
                if (part.type === "text-delta") aborter.abort();
                if (part.type === "abort") return;
            }
            assert.fail("the stream was not left");
        });
    });
}
