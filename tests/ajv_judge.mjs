// Whether ajv finds texts valid: reads {"schema": text, "texts": [...]} a line from standard input, prints those it
// refuses and why, and ends with 1 if there are any.
import { createInterface } from "node:readline";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const ajv = new Ajv({ strict: false, multipleOfPrecision: 6, logger: false });
addFormats(ajv);
let judged = 0;
let refused = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { schema, texts } = JSON.parse(line);
  const validate = ajv.compile(JSON.parse(schema));
  for (const text of texts) {
    ++judged;
    if (validate(JSON.parse(text))) continue;
    ++refused;
    console.log(schema, text, JSON.stringify(validate.errors));
  }
}
console.log(refused ? `${refused} of ${judged} texts are refused` : `${judged} texts are valid`);
process.exit(refused ? 1 : 0);
