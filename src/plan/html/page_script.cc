// The script of a plan's page: draws what the JSON says. It computes nothing but what lies between
// two points of the grid.
#include "plan/html/page_parts.h"

namespace brigada {

const char* const kPlanPageScript = R"js(
"use strict";
const plan = JSON.parse(document.getElementById("plan").textContent);
const at = id => document.getElementById(id);
const svgNs = "http:" + "//www.w3.org/2000/svg";

function element(name, attributes, text) {
  const made = document.createElement(name);
  for (const key in attributes || {}) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
}
function shape(parent, name, attributes, text) {
  const made = document.createElementNS(svgNs, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}
function seconds(value) {
  if (value === null || value === undefined || value > 1e4) return "never";
  if (value < 0.0995) return (value * 1000).toFixed(1) + " ms";
  return value.toFixed(value < 99.95 ? 2 : 0) + " s";
}
const grouped = (value, digits) => value.toLocaleString("en", {minimumFractionDigits: digits,
                                                                maximumFractionDigits: digits});
const right = text => ({text, look: "n"});  // the head of a column of numbers
const percent = share => (100 * share).toFixed(1) + " %";
function row(table, cells, heads) {
  const made = element("tr");
  cells.forEach((cell, i) => {
    const box = element(heads ? "th" : "td", {}, typeof cell === "object" ? cell.text : cell);
    if (typeof cell === "object") box.className = cell.look;
    else if (i > 0 && /^[<]?[\d.,]+( |$)/.test(cell)) box.className = "n";
    made.appendChild(box);
  });
  table.appendChild(made);
}
function nice(high) {
  const size = Math.pow(10, Math.floor(Math.log10(high)));
  for (const step of [1, 2, 2.5, 5, 10]) if (step * size >= high) return step * size;
  return 10 * size;
}

/* A plane with axes from 0 to xHigh and yHigh; x and y place a value on it. */
function plane(host, xHigh, yHigh, xText, yText, tick) {
  const width = 460, height = 240, left = 46, bottom = 34, top = 12, right = 12;
  const svg = shape(host, "svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
                                  "aria-label": `${yText} over ${xText}`});
  const x = value => left + value / xHigh * (width - left - right);
  const y = value => height - bottom - value / yHigh * (height - bottom - top);
  for (let i = 0; i <= 4; ++i) {
    const value = yHigh * i / 4;
    shape(svg, "line", {x1: left, x2: width - right, y1: y(value), y2: y(value),
                        stroke: "var(--line)"});
    shape(svg, "text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"},
          +value.toPrecision(3) + "");
  }
  for (let i = 0; i <= 4; ++i) {
    const value = xHigh * i / 4;
    shape(svg, "text", {x: x(value), y: height - bottom + 15, "text-anchor": "middle"},
          tick ? tick(value) : +value.toPrecision(3) + "");
  }
  shape(svg, "text", {x: width - right, y: height - 4, "text-anchor": "end"}, xText);
  shape(svg, "text", {x: left, y: 9}, yText);
  return {svg, x, y, height, bottom, left};
}

function drawNumbers(chosen) {
  const dollars = chosen.dollars, all = chosen.all_replicas;
  const numbers = [[chosen.accelerators, "accelerators"], [chosen.replicas, "replicas"]];
  if (dollars) numbers.push([grouped(dollars.per_hour, 2) + " $", "an hour"],
                            [grouped(dollars.per_developer_month, 0) + " $", "a person and month"]);
  numbers.push([seconds(all.ttft_s.p90), "first token, p90"], [seconds(all.tpot_s), "TPOT"],
               [percent(all.hit_rate), "of prompts found cached"],
               [Math.floor(plan.breaks_at.people), "people at most"]);
  if (plan.verification)
    numbers.push([Math.floor(plan.verification.carries_people), "people at most, simulated"]);
  for (const [value, what] of numbers) {
    const box = element("div");
    box.appendChild(element("b", {}, value));
    box.appendChild(element("span", {class: "soft"}, what));
    at("numbers").appendChild(box);
  }
}

function tightness(option) {
  const wanted = plan.targets, got = option.without_spare;
  const ratios = [[wanted.ttft_p90_s, got.ttft_s.p90], [wanted.tpot_s, got.tpot_s],
                  [wanted.task_p90_s, got.task_p90_s]]
    .filter(pair => pair[0] && pair[1]).map(pair => pair[1] / pair[0]);
  if (wanted.interactivity_p90) ratios.push(wanted.interactivity_p90 / got.interactivity_p90);
  return Math.max(...ratios, 0);
}
function label(option) {
  const c = option.candidate;
  return `${option.replicas} x ${c.accelerator}, TP ${c.tp}` + (c.dp > 1 ? `, DP ${c.dp}` : "") +
    `, KV ${c.kv_dtype}`;
}

function drawFront(chosen) {
  const priced = plan.met.filter(option => option.dollars);
  const points = priced.concat(plan.front);
  if (!points.length) { at("front").textContent = "No prices are known."; return; }
  const xHigh = nice(Math.min(Math.max(...points.map(p => p.dollars.per_hour)),
                              6 * points.map(p => p.dollars.per_hour).sort((a, b) => a - b)[0]));
  const yHigh = Math.max(1, nice(Math.max(...points.map(tightness))));
  const {svg, x, y} = plane(at("front"), xHigh, yHigh, "$ an hour", "share of the target used");
  const inside = points.filter(p => p.dollars.per_hour <= xHigh);
  const line = plan.front.filter(p => p.dollars.per_hour <= xHigh)
    .map(p => `${x(p.dollars.per_hour)},${y(tightness(p))}`).join(" ");
  shape(svg, "polyline", {points: line, fill: "none", stroke: "var(--main)"});
  for (const p of inside) {
    const first = label(p) === label(chosen);
    const dot = shape(svg, "circle", {cx: x(p.dollars.per_hour), cy: y(tightness(p)),
      r: first ? 6 : 3.5, fill: first ? "var(--warm)" :
        plan.front.includes(p) ? "var(--main)" : "var(--other)"});
    shape(dot, "title", {}, `${label(p)}: ${p.dollars.per_hour.toFixed(2)} $/h`);
  }
}

function drawPercentiles(chosen) {
  const names = ["p50", "p90", "p95", "p99"];
  const series = [["all replicas", chosen.all_replicas.ttft_s, "var(--main)"]];
  if (chosen.spare_replicas)
    series.push([`${chosen.spare_replicas} lost`, chosen.without_spare.ttft_s, "var(--other)"]);
  if (plan.verification)
    series.push(["simulated", plan.verification.simulated.ttft_s, "var(--warm)"]);
  const high = nice(Math.max(...series.flatMap(s => names.map(n => s[1][n] || 0)), 1e-3));
  const {svg, x, y} = plane(at("percentiles"), 4, high, "", "s",
                            value => value < 4 ? names[value] : "");
  const width = 0.7 / series.length;
  series.forEach(([name, values, colour], s) => {
    names.forEach((n, i) => {
      const from = x(i + (s + 0.1) * width - 0.1), to = x(i + (s + 0.95) * width - 0.1);
      const bar = shape(svg, "rect", {x: from, width: to - from, y: y(values[n]),
                                      height: y(0) - y(values[n]), fill: colour});
      shape(bar, "title", {}, `${name}, ${n}: ${seconds(values[n])}`);
    });
    shape(svg, "rect", {x: 300, y: 6 + 15 * s, width: 9, height: 9, fill: colour});
    shape(svg, "text", {x: 314, y: 14 + 15 * s}, name);
  });
}

function drawDay() {
  const {svg, x, y} = plane(at("day"), 24, 1, "hour", "share of the room");
  for (const [field, colour] of [["kept", "var(--other)"], ["running", "var(--main)"]]) {
    const points = plan.day.map(h => `${x(h.hour)},${y(Math.min(1, h[field]))}`);
    shape(svg, "polygon", {points: `${x(0)},${y(0)} ${points.join(" ")} ${x(23)},${y(0)}`,
                           fill: colour, "fill-opacity": 0.35, stroke: colour});
  }
}

/* Between the two nearest grid values of people; the other two axes have steps. */
function whatIf(people, replicas, context) {
  const line = plan.grid.filter(p => p.replicas === replicas && p.context === context)
    .sort((a, b) => a.people - b.people);
  const over = line.findIndex(p => p.people >= people);
  const b = line[over < 0 ? line.length - 1 : over], a = line[Math.max(0, line.indexOf(b) - 1)];
  const part = b.people === a.people ? 1 : (people - a.people) / (b.people - a.people);
  const mix = field => a[field] === null || b[field] === null ? null :
    a[field] + part * (b[field] - a[field]);
  return {ttft: mix("ttft_p90_s"), tpot: mix("tpot_s"), speed: mix("interactivity_p90"),
          hit: mix("hit_rate"), saturated: part > 0.5 ? b.saturated : a.saturated};
}
function slider(name, values, start, show) {
  const host = element("label", {}, name);
  const input = element("input", {type: "range", min: 0, max: values.length - 1, step: 1,
                                  value: values.indexOf(start), "aria-label": name});
  const output = element("output");
  host.append(input, output);
  at("sliders").appendChild(host);
  const value = () => values[+input.value];
  const update = () => { output.textContent = show(value()); drawWhatIf(); };
  input.addEventListener("input", update);
  return {value, label: () => { output.textContent = show(value()); }};
}
let peopleSlider, replicaSlider, contextSlider;
function drawWhatIf() {
  const replicas = replicaSlider.value();
  const got = whatIf(peopleSlider.value(), replicas, contextSlider.value());
  const table = at("whatif");
  table.textContent = "";
  const good = (value, target) => ({text: seconds(value),
    look: "n " + (!target ? "" : value !== null && value <= target ? "good" : "bad")});
  row(table, ["TTFT p90", good(got.ttft, plan.targets.ttft_p90_s)]);
  row(table, ["TPOT", good(got.tpot, plan.targets.tpot_s)]);
  row(table, ["tokens/s/user, p90", got.speed === null ? "0" : got.speed.toFixed(1)]);
  row(table, ["found cached", percent(got.hit)]);
  const dollars = plan.chosen.dollars;
  if (dollars) {
    const each = dollars.per_hour / plan.chosen.replicas;
    row(table, ["cost of a month", grouped(each * replicas * 730, 0) + " $"]);
  }
  if (got.saturated) row(table, ["the fleet", {text: "does not keep up", look: "bad"}]);
}
function drawSliders(chosen) {
  at("grid-source").textContent = plan.grid_is_simulated
    ? "Each point is a simulation with people of the profile; between two, a line."
    : "By the closed form. With --verify each point is simulated.";
  const values = field => [...new Set(plan.grid.map(p => p[field]))].sort((a, b) => a - b);
  const low = values("people")[0], high = values("people").at(-1), stops = new Set([plan.people]);
  const step = Math.max(1, Math.round((high - low) / 60));
  for (let n = low; n < high; n += step) stops.add(n);
  stops.add(high);
  const people = [...stops].sort((a, b) => a - b);
  peopleSlider = slider("people", people, plan.people, String);
  replicaSlider = slider("replicas", values("replicas"), chosen.replicas, String);
  contextSlider = slider("length of contexts", values("context"), 1, v => "x " + v);
  for (const one of [peopleSlider, replicaSlider, contextSlider]) one.label();
  drawWhatIf();
}

function missText(misses) {
  return misses.map(m => `${m.target} x ${m.factor === null ? "endless" : m.factor.toFixed(1)}`)
    .join(", ");
}
function drawScenarios() {
  const table = at("scenarios");
  row(table, ["when", "what happens", right("tokens read"), right("TTFT p90"), right("TPOT"),
              right("recovery"), ""], true);
  for (const s of plan.scenarios) {
    const holds = !s.collapses && !s.misses.length;
    row(table, [s.name, s.what, (s.prefill || 0).toFixed(1) + " x", seconds(s.figures.ttft_s.p90),
      seconds(s.figures.tpot_s), s.recovery_s ? seconds(s.recovery_s) : "",
      {text: s.collapses ? "collapses" : holds ? "holds" : "misses " + missText(s.misses),
       look: holds ? "good" : "bad"}]);
  }
}
function drawCandidates() {
  const table = at("candidates");
  row(table, ["candidate", right("accelerators"), right("$ an hour"), right("TTFT p90"),
              right("TPOT"), ""], true);
  for (const option of plan.met.concat(plan.missed).slice(0, 20)) {
    const less = option.without_spare, met = !option.misses.length && !less.saturated;
    row(table, [label(option), String(option.accelerators),
      option.dollars ? option.dollars.per_hour.toFixed(2) : "no price", seconds(less.ttft_s.p90),
      seconds(less.tpot_s), {text: met ? "meets it" : missText(option.misses) || "saturated",
                             look: met ? "good" : "bad"}]);
  }
}
function drawLines() {
  let section = "", table;
  for (const line of plan.explained) {
    if (line.section !== section) {
      section = line.section;
      at("lines").appendChild(element("h2", {style: "margin-top:16px"}, section));
      table = element("table");
      at("lines").appendChild(table);
    }
    const value = line.value === null ? "endless" : +line.value.toPrecision(4) + " " + line.unit;
    row(table, line.formula ? [line.name, line.formula, line.numbers, value] : [line.name]);
  }
}

at("headline").textContent = plan.headline;
document.title = plan.headline;
at("profile").textContent = plan.profile_source;
drawCandidates();
if (plan.chosen) {
  drawNumbers(plan.chosen);
  drawFront(plan.chosen);
  drawPercentiles(plan.chosen);
  drawDay();
  drawSliders(plan.chosen);
  drawScenarios();
  drawLines();
}
)js";

}  // namespace brigada
